"""Parts of the 2D runner's page."""
