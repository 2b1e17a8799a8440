"""Frozen values that cross package boundaries. No behaviour, no I/O."""
