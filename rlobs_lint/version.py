"""The version: of the package, of what it prints, and of what it keeps."""

__version__ = "0.1.0"
