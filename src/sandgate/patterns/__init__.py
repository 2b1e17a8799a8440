"""Texts and regular expressions looked for in a stream, at a cost that is bounded however they are written."""
