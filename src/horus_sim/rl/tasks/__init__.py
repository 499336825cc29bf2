"""The base of tasks, and the tasks that ship with the package."""
