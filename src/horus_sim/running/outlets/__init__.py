"""What a running world gives out: messages at their rates, shapes, and the log of commands."""
