"""The matcher, a network of our own."""
