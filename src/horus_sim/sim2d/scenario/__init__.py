"""What a scenario is: its files, read, checked and written."""
