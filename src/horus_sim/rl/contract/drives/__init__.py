"""What the numbers drive that a policy gives. Each kind makes messages of them."""
