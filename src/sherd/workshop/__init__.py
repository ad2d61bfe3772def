"""One path for one's own pieces: read, make a job, assemble, judge, plan."""
