"""Tasks as worlds of the 3D simulator: a file for each."""
