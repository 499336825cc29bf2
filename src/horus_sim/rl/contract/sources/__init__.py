"""Where the numbers come from that a policy observes. Each kind reads them from messages."""
