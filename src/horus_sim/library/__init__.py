"""Names under which programs written for HORUS look for their parts."""
