"""The centre: one machine decides who is asked and what runs next, and one driver carries it out."""
