"""Language models on the loopback, and reading what they answer."""
