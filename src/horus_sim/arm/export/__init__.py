"""Arms as files of simulators: URDF and MJCF."""
