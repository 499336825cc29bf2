"""Environments of a task behind Gymnasium's interfaces."""
