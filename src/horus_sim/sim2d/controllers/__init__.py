"""Programs that drive robots: loaded from a scenario's folder, watched and reloaded."""
