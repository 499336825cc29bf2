"""What is behind the training page: environments that a policy drives, and runs of trainings."""
