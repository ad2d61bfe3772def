"""Masks to outlines and back."""
