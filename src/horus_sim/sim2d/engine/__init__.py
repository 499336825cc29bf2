"""The native model of a scenario, and the bodies, robots and sensors of a world of it."""
