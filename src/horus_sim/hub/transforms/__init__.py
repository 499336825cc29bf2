"""Transforms over topics: sent, received, watched and judged."""
