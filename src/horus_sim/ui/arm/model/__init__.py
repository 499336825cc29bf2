"""What the arm page works with: the bench, its thread, files, frames for the view, addresses."""
