"""The changes that fixes make to Python code, one file a change."""
