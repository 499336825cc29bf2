"""Tasks on the 2D simulator: `HorusSim/Navigation2D-v0` and `HorusSim/LineFollower2D-v0`."""
