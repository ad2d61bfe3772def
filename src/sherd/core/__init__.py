"""What everything else speaks of: poses, puzzles, assemblies, and how good an answer is."""
