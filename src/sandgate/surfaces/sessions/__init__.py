"""What servers of whole sessions share, whatever protocol their clients speak."""
