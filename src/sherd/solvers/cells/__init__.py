"""Convex pieces that share whole edges, as Voronoi cells do, put together without a target."""
