"""The training app: policies at work, and trainings in progress."""
