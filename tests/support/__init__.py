"""What tests share, by the noun it is about. The doubles that keep a public contract are in `sandgate.testing`."""
