"""Rewards, observations and terminations that tasks pick from."""
