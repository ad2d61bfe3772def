"""Solvers that wrap a network."""
