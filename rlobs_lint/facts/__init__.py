"""From the bytes of one file to facts about it, which depend on nothing else and are kept by their hash."""
