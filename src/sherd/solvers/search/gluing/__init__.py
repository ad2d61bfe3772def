"""Cuts undone: pieces with an equal edge glued to each other."""
