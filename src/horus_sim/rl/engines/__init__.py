"""What steps many simulations at once: the interface that tasks see, and the engines behind it."""
