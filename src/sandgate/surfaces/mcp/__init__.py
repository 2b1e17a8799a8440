"""`sandgate mcp`: the gate as a server of the Model Context Protocol. Nothing else imports it."""
