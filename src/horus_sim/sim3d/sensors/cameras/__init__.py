"""Cameras: colour, depth, segmentation, their lenses and the thread that draws."""
