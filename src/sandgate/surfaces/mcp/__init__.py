"""`sandgate mcp`: the runtime for clients that speak the Model Context Protocol."""
