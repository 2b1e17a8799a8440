"""Both ends of the Model Context Protocol."""
