"""One world or thousands, stepped; their snapshots and recordings."""
