"""What a policy sees and does, in words that a robot's sensors and drives understand."""
