"""The 3D simulator: robots from URDF, SDF and MJCF, scenes, and the world they move in."""
