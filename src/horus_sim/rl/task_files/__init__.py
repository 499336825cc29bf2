"""Tasks by name: the files that define them, and what Gymnasium knows of them."""
