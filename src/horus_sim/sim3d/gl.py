"""OpenGL without a screen, for pictures; physics never needs it.

EGL is tried first, then OSMesa. The choice is made when the first picture is asked for, so that
importing and stepping work on machines without either. ``MUJOCO_GL``, where it is set, decides.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Literal

from horus_sim.errors import RenderError

Backend = Literal["egl", "osmesa", "glfw"]
INSTALL = "apt install libegl1 libgl1-mesa-dri"
_LIBRARIES: tuple[tuple[Backend, str], ...] = (("egl", "libEGL.so.1"), ("osmesa", "libOSMesa.so.8"))
_OFF = frozenset({"disable", "disabled", "off", "false", "0"})
_WANTED: dict[str, Backend] = {"egl": "egl", "osmesa": "osmesa", "glfw": "glfw", "glx": "glfw"}


def choose_backend() -> Backend:
    """The way to OpenGL on this machine.

    Raises:
        RenderError: There is none; the text says what to install.
    """
    wanted = os.environ.get("MUJOCO_GL", "").strip().lower()
    if wanted in _OFF:
        raise RenderError(f"MUJOCO_GL={wanted} turns pictures off; unset it or set it to egl")
    if wanted:
        return _WANTED.get(wanted, "egl")
    for backend, library in _LIBRARIES:
        if _loads(library):
            return backend
    names = " or ".join(library for _, library in _LIBRARIES)
    raise RenderError(f"pictures need OpenGL, and {names} cannot be loaded; run: {INSTALL}")


def use_backend(backend: Backend) -> None:
    """Makes MuJoCo's renderer use a backend.

    Raises:
        RenderError: It cannot be used after all.
    """
    try:
        from mujoco.rendering.classic import gl_context

        gl_context.GLContext = _context_class(backend)
    except (ImportError, AttributeError, OSError) as error:
        raise RenderError(f"{backend} cannot be used ({error}); run: {INSTALL}") from error


def _context_class(backend: Backend) -> Any:  # noqa: ANN401 - MuJoCo's own class
    if backend == "egl":
        from mujoco.egl import GLContext
    elif backend == "osmesa":
        from mujoco.osmesa import GLContext
    else:
        from mujoco.glfw import GLContext
    return GLContext


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
