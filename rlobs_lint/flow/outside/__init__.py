"""Packages outside the workspace: what calling, entering, reading and decorating with them does."""
