"""The 2D designer without its page: the scenario that is edited, and everything done to it."""
