"""What a model may call, and how the answers read."""
