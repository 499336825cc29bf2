"""SDF from any description, whatever format it came from."""
