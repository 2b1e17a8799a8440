"""Servers of others whose tools a model may call: started, listed, asked about, called, ended."""
