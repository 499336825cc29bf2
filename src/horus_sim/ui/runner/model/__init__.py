"""The 2D runner without its page: a process that simulates, and what the server knows of it."""
