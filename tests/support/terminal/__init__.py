"""Commands that live on, with a session and without."""
