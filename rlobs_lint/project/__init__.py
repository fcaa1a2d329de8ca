"""What is uploaded, read as it stands: Python files, job files, requirement files, datasets."""
