"""Assembly from stretches of outline: pieces with jagged, curved and worn edges, with a target or without."""
