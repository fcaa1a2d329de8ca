"""Output formats: findings in, text out, one small module each."""
