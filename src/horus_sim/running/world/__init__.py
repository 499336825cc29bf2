"""A running world: what it is made of, and what it does with each step."""
