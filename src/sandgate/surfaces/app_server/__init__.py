"""`sandgate app-server`: sessions for clients of the lineage's app-server protocol, over stdio and sockets."""
