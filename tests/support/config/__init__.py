"""Configuration, layer by layer."""
