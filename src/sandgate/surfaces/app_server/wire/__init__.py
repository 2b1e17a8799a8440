"""What the app-server protocol says: one typed table of its messages, and what is made from it."""
