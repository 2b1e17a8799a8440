"""Who says yes: reviewers, in the order they are asked, and what is remembered of their answers."""
