"""Which files are meant, under which settings, and reading them safely."""
