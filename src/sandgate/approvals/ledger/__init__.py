"""Open questions on disk until one answer counts: what they hold, where they lie, and what is told of them."""
