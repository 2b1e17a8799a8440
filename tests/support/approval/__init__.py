"""Questions to a person or a reviewer."""
