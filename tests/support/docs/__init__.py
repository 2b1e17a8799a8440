"""Documentation, read as the programs it is about would read it."""
