"""The command line `horus-sim`: one Typer application, a file a verb."""
