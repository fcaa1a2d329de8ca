"""Python's own builtins and standard library, as far as values flow through them."""
