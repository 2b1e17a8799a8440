"""Asks a language model one question at a time and brings back the text of its answer, or why there is none."""
