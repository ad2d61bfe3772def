"""Exact pieces whose corners lie on one grid: whole numbers, and a search that is fast for it."""
