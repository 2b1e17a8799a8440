"""Questions and calls that outlive the request they came with, and answers that come from elsewhere."""
