"""Domain randomization: what differs between episodes, drawn from each environment's seed."""
