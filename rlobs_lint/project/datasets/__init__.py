"""Datasets: JSON Lines, read as a stream."""
