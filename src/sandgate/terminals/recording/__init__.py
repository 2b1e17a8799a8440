"""Writes down what a terminal showed and what was typed, so that it can be played again."""
