"""The patch language: parsed, computed against the disk, written all or nothing."""
