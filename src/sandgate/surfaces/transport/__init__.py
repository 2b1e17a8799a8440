"""What lies between a client and the messages of a protocol, whichever that is: lines, streams, tokens, signals."""
