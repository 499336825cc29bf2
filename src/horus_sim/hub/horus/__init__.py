"""A bridge to the topics of the HORUS robotics framework."""
