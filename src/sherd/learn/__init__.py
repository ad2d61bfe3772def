"""Networks: torch lives here alone."""
