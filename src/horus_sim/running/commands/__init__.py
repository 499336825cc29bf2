"""Commands and requests that a running world obeys: by hand, on topics, and who may give them."""
