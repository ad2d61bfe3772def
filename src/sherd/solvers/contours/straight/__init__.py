"""Pieces with straight edges and few corners, put together corner to corner, without a target."""
