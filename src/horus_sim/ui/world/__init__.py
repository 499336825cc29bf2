"""The 3D app: a world to look at, drive in and build."""
