"""Parts of the page of the 2D designer."""
