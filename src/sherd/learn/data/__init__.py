"""Puzzles as networks see them."""
