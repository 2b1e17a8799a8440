"""The library's own client, and the server that it starts."""
