"""What is wrong with the metrics and scores that processors report."""
