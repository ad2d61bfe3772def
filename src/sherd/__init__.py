"""sherd puts pieces back together."""
