"""The tasks that ship with the package, one a file."""
