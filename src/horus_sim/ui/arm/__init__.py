"""The arm app: an arm to move, measure and teach."""
