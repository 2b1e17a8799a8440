"""Sandgate: the gate an AI coding agent's commands pass through."""

__version__ = "0.1.0"
