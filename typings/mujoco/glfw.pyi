"""MuJoCo's context for OpenGL."""

from typing import Any

GLContext: Any
