"""Commands confined by the kernel without a session around them."""
