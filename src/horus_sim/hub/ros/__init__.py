"""ROS 2 without ROS: definitions of messages, their hashes, and their bytes."""
