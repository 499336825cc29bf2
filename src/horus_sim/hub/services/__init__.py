"""Services: a program asks, and another one answers."""
