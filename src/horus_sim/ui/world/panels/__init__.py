"""Parts of pages: each shows one thing and changes one thing."""
