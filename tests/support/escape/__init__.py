"""Attacks: where they happen, and whom they are about."""
