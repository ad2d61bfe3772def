"""Training, whatever the network."""
