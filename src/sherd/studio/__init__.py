"""The studio: a server on this machine, its jobs in worker processes, and the page that it serves."""
