"""Benchmarks: the tables of the paper as suites, running them, records of what was found, and the report."""
