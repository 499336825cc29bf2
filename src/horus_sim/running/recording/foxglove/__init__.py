"""Messages in the forms that Foxglove draws, for files and live views."""
