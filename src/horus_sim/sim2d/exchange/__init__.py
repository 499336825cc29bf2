"""What a 2D world publishes and obeys, and what a record needs to do it all again."""
