"""Puzzles made from a seed: shapes, cuts, damage, paint, and sets of them."""
