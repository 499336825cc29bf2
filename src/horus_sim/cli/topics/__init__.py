"""Commands that tell who is at topics and measure what travels there."""
