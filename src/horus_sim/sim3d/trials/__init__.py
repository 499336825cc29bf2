"""What a robot can do, tried out in a world made for it."""
