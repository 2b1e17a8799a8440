"""`sandgate mcp`: the gate as a server of the Model Context Protocol. Imported by nothing else; it loads the MCP SDK."""
