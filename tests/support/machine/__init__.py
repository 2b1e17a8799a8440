"""The machine under the tests: what it can do, who lives on it, and as whom one works there."""
