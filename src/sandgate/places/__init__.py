"""What paths mean: one list of places for policy, assessment and the sandbox."""
