"""Drawings on pages: elements of NiceGUI, each a Python class beside its JavaScript."""
