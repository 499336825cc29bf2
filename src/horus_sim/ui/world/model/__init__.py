"""What the 3D page works with: the session of a world, editing, recording, scene files."""
