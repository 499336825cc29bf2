"""What every page stands on: server, access, addresses, preferences and the frame of a page."""
