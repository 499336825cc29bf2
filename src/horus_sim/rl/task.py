"""The base of tasks: a model, what an action does, and the terms."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.rl.backend import Backend, Floats, Ids, MujocoBackend
from horus_sim.rl.config import TaskConfig
from horus_sim.rl.control_range import control_ranges
from horus_sim.rl.curriculum import Curriculum
from horus_sim.rl.live_controls import LiveControls
from horus_sim.rl.random_streams import RandomStreams
from horus_sim.rl.terms import Observation, Reward, Rows, Termination
from horus_sim.robots.engine import mujoco

if TYPE_CHECKING:
    from horus_sim.rl.randomization.visual import VisualRandomization

ConfigT = TypeVar("ConfigT", bound=TaskConfig)


class Task(ABC, Generic[ConfigT]):
    """What is to be learned, over all environments at once.

    Order of calls: `build_model`, then `bind` once, then the terms are asked for. A step is
    `before_step`, `act`, physics, `refresh` of all rows, then terms. A reset is `reset`, then
    `refresh` of these rows. Nothing here loops over environments.

    Attributes:
        Config: Class of the settings.
        config: The settings.
        sim: The simulations, from `bind` on.
        random: Random numbers of the environments, from `bind` on.
        curriculum: Levels of difficulty, from `bind` on.
        actions: Of the last step, 0 after a reset, shape (num_envs, actions), float32.
        ctrl: Controls of the simulations, live, shape (num_envs, actuators); written in place.
        visuals: Randomizations of what pictures look like.
        is_taken: Whether environments have it; a task is of one vector of them.
    """

    Config: ClassVar[type[TaskConfig]] = TaskConfig

    config: ConfigT
    sim: Backend
    random: RandomStreams
    curriculum: Curriculum
    actions: npt.NDArray[np.float32]
    ctrl = LiveControls("self.ctrl")
    visuals: tuple[VisualRandomization, ...] = ()
    is_taken: bool = False

    def __init__(self, config: ConfigT) -> None:
        self.config = config

    @abstractmethod
    def build_model(self) -> mujoco.MjModel:
        """The model of one environment."""

    def action_bounds(self, model: mujoco.MjModel) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """Least and largest action, shape (actions,) each; the actuators' ranges unless told.

        The range of a motor without one is what gives its largest force or torque.

        Raises:
            TaskError: The model does not bound the control of an actuator.
        """
        return control_ranges(model, type(self).__name__)

    def make_backend(self, model: mujoco.MjModel, num_envs: int, threads: int) -> Any:  # noqa: ANN401 - a Backend, or what tasks of another engine have
        """The simulations: what the setting `backend` says."""
        if self.config.backend == "warp":
            from horus_sim.rl.warp_backend import WarpBackend

            return WarpBackend(model, num_envs, threads, type(self).__name__)
        return MujocoBackend(model, num_envs, threads, type(self).__name__)

    def bind(self) -> None:
        """Takes live arrays from `self.sim` and makes the task's own; called once."""

    @abstractmethod
    def observations(self) -> tuple[Observation, ...]:
        """What is observed, in the order of the columns."""

    @abstractmethod
    def rewards(self) -> tuple[Reward, ...]:
        """What is rewarded."""

    def terminations(self) -> tuple[Termination, ...]:
        """What ends an episode before its time; where several hold, the first is the cause."""
        return ()

    def reset(self, ids: Ids) -> None:
        """Writes the state in which these environments begin; it was just set to the model's."""

    def before_step(self) -> None:
        """Keeps what terms compare with, such as the distance before the step."""

    def act(self) -> None:
        """Writes `self.actions` to the actuators of all environments."""
        self.ctrl[:] = self.actions

    def refresh(self, rows: Rows) -> None:
        """Computes, for these rows, what several terms share."""

    def goals(self) -> Floats | None:
        """Where goals are drawn [m], shape (num_envs, 2) or (num_envs, 3), or None."""
        return None

    @cached_property
    def picture_model(self) -> mujoco.MjModel:
        """The model that pictures show; where it has no lights, its headlight is bright."""
        model = self._own_picture_model or copy.copy(self.sim.model)
        if not model.nlight:
            headlight = model.vis.headlight
            headlight.ambient, headlight.diffuse = (0.4,) * 3, (0.6,) * 3
        return model

    @property
    def has_picture_model(self) -> bool:
        """Whether pictures show another model than that of physics."""
        return self._own_picture_model is not None

    @cached_property
    def _own_picture_model(self) -> mujoco.MjModel | None:
        return self.build_picture_model()

    @cached_property
    def pictures(self) -> Any:  # noqa: ANN401 - has draw(env, width, height) and close()
        """Draws environments; made when it is first asked for."""
        return self.make_pictures()

    def close(self) -> None:
        """Frees what draws pictures, if there is any."""
        if "pictures" in vars(self):
            self.pictures.close()
            del self.pictures

    def build_picture_model(self) -> mujoco.MjModel | None:
        """A model with the same joints that pictures show instead; None for that of physics."""
        return None

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Writes into the model of one environment what only pictures show."""

    def make_pictures(self) -> Any:  # noqa: ANN401 - has draw(env, width, height) and close()
        """What draws environments: MuJoCo's renderer unless told."""
        from horus_sim.rl.pictures import Pictures

        return Pictures(self)

    def view(self, model: mujoco.MjModel, env: int) -> mujoco.MjvCamera:
        """From where pictures of an environment are taken: about the model's centre unless told."""
        del env
        camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(model, camera)
        return camera

    @cached_property
    def dt(self) -> float:
        """Simulated time of a step of the environment [s]."""
        return self.sim.model.opt.timestep * self.config.physics_steps

    def array(self, *shape: int, dtype: Any = np.float64) -> npt.NDArray[Any]:  # noqa: ANN401 - as NumPy's
        """An array of zeros over environments, shape (num_envs, *shape)."""
        return np.zeros((self.sim.num_envs, *shape), dtype)
