"""The running world: its robots and objects, stepped, looked at and changed."""
