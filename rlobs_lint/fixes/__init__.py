"""From findings to written files: plans, edits, rounds of them, verified and written whole or not at all."""
