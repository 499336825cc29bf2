"""Environments as trainers of other packages want them."""
