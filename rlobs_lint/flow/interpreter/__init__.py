"""Python, run abstractly: statements, expressions, calls, classes and imports of the workspace."""
