"""Requirement files as pip and the SDK read them, and edits of their lines."""
