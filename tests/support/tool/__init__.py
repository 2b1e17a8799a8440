"""What tools work on: a host for them, patches, pictures."""
