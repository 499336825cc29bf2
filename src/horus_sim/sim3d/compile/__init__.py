"""From scenes and descriptions to MuJoCo: one body a link, never fused, with exact names."""
