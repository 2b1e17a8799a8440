"""Each surface turns its medium into calls of the runtime, and what happens into its medium."""
