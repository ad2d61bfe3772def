"""Solvers to compare with: annealing, Bayesian optimisation, a nesting engine, chance."""
