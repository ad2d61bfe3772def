"""Exact pieces of any shape, laid corner by corner."""
