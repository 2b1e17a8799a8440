"""The `sandgate` program."""
