"""Commands that stay alive between calls."""
