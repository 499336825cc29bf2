"""What the arm page works with: an arm that moves, its thread, files, frames and addresses."""
