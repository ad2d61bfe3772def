"""Filling what is open: around a piece that is lost, and with pieces that are left over."""
