"""One command, start to finish: its environment, its streams, its time limit, its end."""
