"""Pictures of environments, for videos, pages and observations."""
