"""From files to what is reported: the rules are run, findings hidden, sorted and compared with a baseline."""
