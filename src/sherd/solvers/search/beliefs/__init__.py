"""Rough outlines: corners as normal distributions, joints by likelihood."""
