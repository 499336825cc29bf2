"""SDF: models and worlds read from it."""
