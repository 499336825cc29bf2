"""What a 3D world publishes and obeys, and what a record needs to do it all again."""
