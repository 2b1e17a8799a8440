"""Command lines, in many spellings, and the machine on which they are judged."""
