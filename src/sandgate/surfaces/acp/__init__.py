"""`sandgate acp`: sessions for editors that speak the Agent Client Protocol. It alone imports its library."""
