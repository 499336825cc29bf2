"""The topics of a running world: which there are, commands and requests that come in on them."""
