"""OpenGL without a screen, for pictures; physics never needs it.

On Linux EGL is tried first, then OSMesa; macOS and Windows have one way of their own. The choice is
made when the first camera is made, so that importing and stepping work on machines without any.
``MUJOCO_GL``, where it is set, decides.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Literal

from horus_sim.errors import RenderError
from horus_sim.installation import probes, remedies
from horus_sim.robots.engine import mujoco

Backend = Literal["egl", "osmesa", "glfw", "cgl"]
_LIBRARIES: tuple[tuple[Backend, str], ...] = (("egl", "libEGL.so.1"), ("osmesa", "libOSMesa.so.8"))
_OFF = frozenset({"disable", "disabled", "off", "false", "0"})
_WANTED: dict[str, Backend] = {"egl": "egl", "osmesa": "osmesa", "glfw": "glfw", "glx": "glfw"}
_WANTED |= {"wgl": "glfw", "cgl": "cgl"}
_OF_SYSTEM: dict[str, Backend] = {"darwin": "cgl", "win32": "glfw"}

_SMALLEST = """
<mujoco>
  <visual><quality shadowsize="0" offsamples="0"/><global offwidth="1" offheight="1"/></visual>
</mujoco>
"""


def _remedy() -> str:
    """What to do on this machine where OpenGL does not start, as a clause of a sentence."""
    system = probes.system()
    if sys.platform in _OF_SYSTEM:
        return "OpenGL is a part of this system: look after its graphics driver"
    return ("" if system == "other" else "run: ") + remedies.EGL.install_command(system)


REMEDY = _remedy()
_failures: dict[Backend, str | None] = {}
"""Why a way that was tried does not start, or None."""


def choose_backend() -> Backend:
    """The way to OpenGL on this machine: the first that starts.

    A way is tried once in a process. Libraries may be there and not start, such as EGL in a
    container without a driver; and GLFW ends the process when it is tried a second time.

    Raises:
        RenderError: There is none; the text says what to install.
    """
    wanted = os.environ.get("MUJOCO_GL", "").strip().lower()
    if wanted in _OFF:
        raise RenderError(
            f"MUJOCO_GL={wanted} turns OpenGL off; unset it or set it to egl; where "
            f"OpenGL is missing, {REMEDY}"
        )
    if wanted and wanted not in _WANTED:
        names = ", ".join(_WANTED)
        raise RenderError(f"MUJOCO_GL={wanted} is unknown; unset it or set it to one of {names}")
    ways: tuple[Backend, ...] = (_WANTED[wanted],) if wanted else _ways_of_system()
    if not ways:
        names = " or ".join(library for _, library in _LIBRARIES)
        raise RenderError(f"pictures need OpenGL, and {names} cannot be loaded; {REMEDY}")
    for backend in ways:
        if backend not in _failures:
            _failures[backend] = _failure(backend)
        if _failures[backend] is None:
            return backend
    reasons = "; ".join(f"{backend}: {_failures[backend]}" for backend in ways)
    raise RenderError(f"OpenGL does not start ({reasons}); {REMEDY}")


def _ways_of_system() -> tuple[Backend, ...]:
    if sys.platform in _OF_SYSTEM:
        return (_OF_SYSTEM[sys.platform],)
    return tuple(backend for backend, library in _LIBRARIES if _loads(library))


def use_backend(backend: Backend) -> None:
    """Makes MuJoCo's renderer use a backend.

    Raises:
        RenderError: It cannot be used after all.
    """
    try:
        from mujoco.rendering.classic import gl_context

        gl_context.GLContext = _context_class(backend)
    except (ImportError, AttributeError, OSError) as error:
        raise RenderError(f"{backend} cannot be used ({error}); {REMEDY}") from error


def _context_class(backend: Backend) -> Any:  # noqa: ANN401 - MuJoCo's own class
    if backend == "egl":
        from mujoco.egl import GLContext
    elif backend == "osmesa":
        from mujoco.osmesa import GLContext
    elif backend == "cgl":
        from mujoco.cgl import GLContext
    else:
        from mujoco.glfw import GLContext
    return GLContext


def _failure(backend: Backend) -> str | None:
    """Why a small context of a backend cannot be made, or None."""
    try:
        use_backend(backend)
        context = _context_class(backend)(1, 1)
        context.make_current()
        model = mujoco.MjModel.from_xml_string(_SMALLEST)
        mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50.value).free()
        context.free()
    except RenderError as error:
        return str(error.__cause__)
    except Exception as error:  # noqa: BLE001 - drivers and their bindings raise all sorts
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
