"""The loop that steps a running world by the clock, and takes orders between two steps."""
