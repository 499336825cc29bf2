"""The one thread that draws: OpenGL contexts belong to the thread that made them."""

from __future__ import annotations

import atexit
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Literal, TypeVar
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from horus_sim.errors import RenderError
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.geoms import COLLISION_GROUP
from horus_sim.sim3d.rendering.gl import REMEDY, choose_backend, use_backend
from horus_sim.sim3d.rendering.intrinsics import Intrinsics
from horus_sim.system import after_fork_in_child

Floats = npt.NDArray[np.float64]
Quality = Literal["fast", "nice"]
_T = TypeVar("_T")
_Flag = mujoco.mjtRndFlag
SLICES = 28
"""Edges of round shapes in fast pictures; they lie within the shape."""
_SETTINGS: dict[Quality, dict[str, int]] = {
    "fast": {
        "offsamples": 0,
        "shadowsize": 0,
        "numslices": SLICES,
        "numstacks": SLICES // 2,
        "numquads": 2,
    },
    "nice": {
        "offsamples": 4,
        "shadowsize": 4096,
        "numslices": 64,
        "numstacks": 32,
        "numquads": 4,
    },
}
_MOST_CANVASES = 6


@dataclass(frozen=True, slots=True)
class View:
    """What a camera looks at, with square pixels.

    Attributes:
        intrinsics: Size and projection; `fx` counts for both axes.
        position: Place of the camera [m], world frame, shape (3,).
        R_world_optical: Rotation of its optical frame, shape (3, 3).
        near: Distance of the near clipping plane [m].
        far: Distance of the far clipping plane [m].
    """

    intrinsics: Intrinsics
    position: Floats
    R_world_optical: Floats
    near: float
    far: float


class Canvas:
    """Draws one model at one quality; lives in the worker's thread.

    Args:
        model: The model.
        quality: 'fast' without smooth edges, shadows and reflections, or 'nice' with them.
    """

    def __init__(self, model: mujoco.MjModel, quality: Quality) -> None:
        from mujoco.rendering.classic import gl_context

        self.model = model
        self._quality = quality
        self._size = (0, 0)
        self._context: Any = None
        self._gl: Any = gl_context.GLContext(64, 64)  # pyright: ignore[reportOptionalCall]
        self._gl.make_current()
        settings = model.vis.quality
        wanted = _SETTINGS[quality]
        before = {name: getattr(settings, name) for name in wanted}
        try:
            for name, value in wanted.items():
                setattr(settings, name, value)
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50.value)
        finally:
            for name, value in before.items():
                setattr(settings, name, value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        # Depth 0 is far away: single precision is then finest where distances are large.
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR.value
        self._scene = mujoco.MjvScene(model, maxgeom=2 * model.ngeom + 100)
        self._options = mujoco.MjvOption()
        self._options.geomgroup[COLLISION_GROUP:] = 0

    def aim(self, data: mujoco.MjData, view: View, *, by_number: bool = False) -> mujoco.MjrRect:
        """Puts the scene of now before the camera.

        Args:
            data: State whose poses are up to date.
            view: The camera.
            by_number: Whether the number of each shape is drawn as a plain colour; the sky is left
                out, and it takes less time.

        Returns:
            The part of the buffer that is drawn.
        """
        model, scene = self.model, self._scene
        self._gl.make_current()
        self._grow(view.intrinsics.width, view.intrinsics.height)
        # Lights hang on bodies: their poses follow from the kinematics.
        mujoco.mj_camlight(model, data)
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        free = mujoco.MjvCamera()
        mujoco.mjv_updateScene(model, data, self._options, None, free, everything, scene)
        left, right, top, bottom = view.intrinsics.edges
        for camera in (scene.camera[0], scene.camera[1]):
            camera.pos[:] = view.position
            camera.forward[:] = view.R_world_optical[:, 2]
            camera.up[:] = -view.R_world_optical[:, 1]
            camera.orthographic = 0
            camera.frustum_near = view.near
            camera.frustum_far = view.far
            camera.frustum_center = 0.5 * (left + right) * view.near
            camera.frustum_width = 0.5 * (right - left) * view.near
            camera.frustum_top = -top * view.near
            camera.frustum_bottom = -bottom * view.near
        # The lamp on the camera has moved with it.
        mujoco.mjv_makeLights(model, data, scene)
        is_nice = int(self._quality == "nice")
        scene.flags[_Flag.mjRND_SHADOW] = is_nice
        scene.flags[_Flag.mjRND_REFLECTION] = is_nice
        scene.flags[_Flag.mjRND_HAZE] = 0
        scene.flags[_Flag.mjRND_SEGMENT] = int(by_number)
        scene.flags[_Flag.mjRND_IDCOLOR] = int(by_number)
        return mujoco.MjrRect(0, 0, view.intrinsics.width, view.intrinsics.height)

    def colours(self, data: mujoco.MjData, view: View) -> npt.NDArray[np.uint8]:
        """A picture, shape (height, width, 3); in memory its last row comes first."""
        rect = self.aim(data, view)
        pixels = np.empty((rect.height, rect.width, 3), np.uint8)
        mujoco.mjr_render(rect, self._scene, self._context)
        mujoco.mjr_readPixels(pixels, None, rect, self._context)
        return pixels[::-1]

    def depths(self, data: mujoco.MjData, view: View) -> npt.NDArray[np.float32]:
        """Depth along the optical axis [m], infinite where nothing is, shape (height, width)."""
        rect = self.aim(data, view, by_number=True)
        buffer = np.empty((rect.height, rect.width), np.float32)
        mujoco.mjr_render(rect, self._scene, self._context)
        mujoco.mjr_readPixels(None, buffer, rect, self._context)
        return _linear(buffer[::-1].copy(), view.near, view.far)

    def geoms(self, data: mujoco.MjData, view: View) -> npt.NDArray[np.int32]:
        """Index of the geom in each pixel, -1 for none, shape (height, width)."""
        rect = self.aim(data, view, by_number=True)
        scene = self._scene
        pixels = np.empty((rect.height, rect.width, 3), np.uint8)
        mujoco.mjr_render(rect, scene, self._context)
        mujoco.mjr_readPixels(pixels, None, rect, self._context)
        table = np.full(2**8 * (scene.ngeom // 2**8 + 1) + 1, -1, np.int32)
        kind = int(mujoco.mjtObj.mjOBJ_GEOM)
        for geom in scene.geoms[: scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == kind:
                table[geom.segid + 1] = geom.objid
        wide = pixels[::-1].astype(np.int32)
        numbers = wide[..., 0] | wide[..., 1] << 8 | wide[..., 2] << 16
        return table[numbers]

    def close(self) -> None:
        """Frees the context."""
        self._gl.make_current()
        if self._context is not None:
            self._context.free()
            self._context = None
        self._gl.free()

    def _grow(self, width: int, height: int) -> None:
        size = max(width, self._size[0]), max(height, self._size[1])
        if size != self._size:
            mujoco.mjr_resizeOffscreen(*size, self._context)
            self._size = size


def _linear(buffer: npt.NDArray[np.float32], near: float, far: float) -> npt.NDArray[np.float32]:
    """Depth [m] from a depth buffer in which 0 is far and 1 near."""
    # 1 / z is linear in the buffer. Single precision, like the buffer: the image is as good.
    at_near, at_far = np.float32(1.0 / near), np.float32(1.0 / far)
    depth = buffer * (at_near - at_far)
    depth += at_far
    np.divide(np.float32(1.0), depth, out=depth)
    depth[buffer == 0.0] = np.inf
    return depth


class RenderWorker:
    """A thread that runs drawing jobs one after the other; use `draw`."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._canvases: OrderedDict[tuple[int, Quality], Canvas] = OrderedDict()
        self._thread: threading.Thread | None = None
        # Reentrant: garbage may be collected, and a renderer freed, while it is held.
        self._lock = threading.RLock()
        self._renderers: WeakSet[mujoco.Renderer] = WeakSet()
        self._is_registered = False
        # A process that is split off has neither the thread nor its contexts.
        after_fork_in_child(self._forget)

    def draw(self, model: mujoco.MjModel, quality: Quality, job: Callable[[Canvas], _T]) -> _T:
        """What a job on a canvas returns; waits for it.

        Args:
            model: The model; its canvas is made at first and kept for later.
            quality: Quality of the canvas.
            job: Gets the canvas.

        Raises:
            RenderError: There is no OpenGL; the text says what to install.
        """
        choose_backend()
        return self.run(lambda: job(self._canvas(model, quality)))

    def renderer(self, model: mujoco.MjModel, width: int, height: int) -> mujoco.Renderer:
        """A renderer of MuJoCo's own; call it, use it and close it in the thread.

        Raises:
            RenderError: OpenGL does not start.
        """
        renderer = self._started(lambda: mujoco.Renderer(model, height, width))
        self._renderers.add(renderer)
        return renderer

    def close(self) -> None:
        """Frees all contexts and ends the thread."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._jobs.put(None)
        if thread is not None:
            thread.join()

    def _forget(self) -> None:
        self._jobs = SimpleQueue()
        self._canvases = OrderedDict()
        self._thread = None
        self._lock = threading.RLock()
        self._renderers = WeakSet()

    def run(self, job: Callable[[], _T]) -> _T:
        """What a job returns that runs in the thread; waits for it."""
        return self.post(job).result()

    def post(self, job: Callable[[], _T]) -> Future[_T]:
        """Lets a job run in the thread, without waiting."""
        done: Future[_T] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="render", daemon=True)
                self._thread.start()
        self._jobs.put((job, done))
        return done

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, done = item
            try:
                done.set_result(job())
            except BaseException as error:  # noqa: BLE001 - the caller gets it
                done.set_exception(error)
            # A finished job must not keep a world alive until the next one.
            del item, job, done
        while self._canvases:
            self._canvases.popitem()[1].close()
        for renderer in list(self._renderers):
            renderer.close()

    def _started(self, make: Callable[[], _T]) -> _T:
        """What has an OpenGL context of its own, which ends with the process."""
        use_backend(choose_backend())
        try:
            made = make()
        except (RuntimeError, ImportError, AttributeError, mujoco.FatalError) as error:
            raise RenderError(f"OpenGL does not start ({error}); {REMEDY}") from error
        if not self._is_registered:
            # Here and not before: EGL, which has just registered its end, ends after it.
            atexit.register(self.close)
            self._is_registered = True
        return made

    def _canvas(self, model: mujoco.MjModel, quality: Quality) -> Canvas:
        key = id(model), quality
        canvas = self._canvases.get(key)
        if canvas is None:
            canvas = self._started(lambda: Canvas(model, quality))
            self._canvases[key] = canvas
            while len(self._canvases) > _MOST_CANVASES:
                self._canvases.popitem(last=False)[1].close()
        self._canvases.move_to_end(key)
        return canvas


worker = RenderWorker()
"""The worker of this process."""
