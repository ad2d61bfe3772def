"""The paper's network."""
