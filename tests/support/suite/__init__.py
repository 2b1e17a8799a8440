"""The suite itself: what it runs, how long it takes, and where it hangs."""
