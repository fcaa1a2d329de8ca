"""Comments that hide findings, and what they hide."""
