"""A command and its permissions become an inert, confined plan; what the plan refused becomes an explanation."""
