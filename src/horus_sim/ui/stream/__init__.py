"""What is sent to browsers: binary frames, geometry, sensor readings, and the stream itself."""
