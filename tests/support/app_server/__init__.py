"""The app server: recorded traffic of a real client and server, and a client of our own."""
