"""What Gazebo adds to SDF and URDF: sensors, drives and controllers, as tags and plugins."""
