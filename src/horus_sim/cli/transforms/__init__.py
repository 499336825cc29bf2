"""What the commands of `horus-sim tf` print and publish."""
