"""How a robot on legs stands: the pose that its files name, or one that is found for it."""
