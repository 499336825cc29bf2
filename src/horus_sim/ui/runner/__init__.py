"""The 2D app: a scenario that runs with its controllers."""
