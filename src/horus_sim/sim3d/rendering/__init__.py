"""Pictures of a model, drawn by OpenGL in one thread."""
