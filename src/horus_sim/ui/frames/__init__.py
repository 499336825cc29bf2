"""The TF app: the tree of transforms of a world or of a session."""
