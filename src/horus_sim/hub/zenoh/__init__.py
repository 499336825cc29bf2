"""Topics between processes and machines, over zenoh."""
