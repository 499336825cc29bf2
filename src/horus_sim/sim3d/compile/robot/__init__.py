"""A robot's description in MuJoCo: bodies, joints, drives and loops."""
