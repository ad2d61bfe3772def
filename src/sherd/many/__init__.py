"""Many puzzles: shared among processes or machines, kept in shards, and gone on with where a run stopped."""
