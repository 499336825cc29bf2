"""The 2D designer: a scenario that is drawn and edited."""
