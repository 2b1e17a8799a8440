"""What shells need to complete `sandgate`, made from the table of commands and options."""
