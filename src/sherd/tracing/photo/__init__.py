"""Pieces on a plain background: what the background looks like, what is a piece, and where its edge runs."""
