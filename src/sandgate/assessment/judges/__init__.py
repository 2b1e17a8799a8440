"""Judges for programs whose arguments decide what they do: each takes one call and notes what it finds.

Everything a table can say stands in `knowledge`; what is here needs to look at several arguments together.
"""
