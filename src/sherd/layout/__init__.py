"""How placed pieces hold each other: contact, gaps, holding, and the order to lay them in."""
