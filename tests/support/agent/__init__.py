"""Sessions with a model, their stages, and their transcripts."""
