"""Policies on robots: by topics, in a simulated world or a real one."""
