"""The reference pages, JSON Schemas and manual pages, written from what the program itself is made of.

`python -m sandgate.reference` writes all of them below docs/. Nothing that runs a command imports this.
"""
