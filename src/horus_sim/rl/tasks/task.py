"""The base of tasks: a model, what an action does, and the terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.engines.controls import LiveControls
from horus_sim.rl.engines.interface import Backend, Floats, Ids, Rows
from horus_sim.rl.randomization.curriculum import Curriculum
from horus_sim.rl.randomization.random_streams import RandomStreams
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.mirror import MirrorImage
from horus_sim.rl.terms.term import Observation, Reward, Termination

if TYPE_CHECKING:
    from pathlib import Path

    from mujoco import MjModel, MjSpec

    from horus_sim.rl.contract.drives.drive import Drive
    from horus_sim.rl.pictures.camera import View
    from horus_sim.rl.randomization.planar_visual import PlanarVisual
    from horus_sim.rl.randomization.visual import VisualRandomization

ConfigT = TypeVar("ConfigT", bound=TaskConfig)


class Task(ABC, Generic[ConfigT]):
    """What is to be learned, over all environments at once.

    Order of calls: `build_model`, then `bind` once, then the terms are asked for. A step is
    `before_step`, `act`, physics, `refresh` of all rows, then terms. A reset is `vary`, `reset`,
    then `refresh` of these rows. Nothing here loops over environments.

    Attributes:
        Config: Class of the settings.
        config: The settings.
        sim: The simulations, from `bind` on.
        random: Random numbers of the environments, from `bind` on.
        curriculum: Levels of difficulty, from `bind` on.
        dt: Simulated time of a step of the environment [s], from `bind` on.
        actions: Actions of the last step, 0 after a reset, shape (num_envs, actions), float32.
        ctrl: Controls of the simulations, live, shape (num_envs, actuators); written in place.
        visuals: Randomizations of what pictures look like.
        is_taken: Whether environments have it; a task is of one vector of them.
    """

    Config: ClassVar[type[TaskConfig]] = TaskConfig

    config: ConfigT
    sim: Backend
    random: RandomStreams
    curriculum: Curriculum
    dt: float
    actions: npt.NDArray[np.float32]
    ctrl = LiveControls("self.ctrl")
    visuals: tuple[VisualRandomization | PlanarVisual, ...] = ()
    is_taken: bool = False

    def __init__(self, config: ConfigT) -> None:
        self.config = config

    @abstractmethod
    def build_model(self) -> Any:  # noqa: ANN401 - each engine has models of its own
        """The model of one environment: a `mujoco.MjModel` unless `make_backend` takes another."""

    def action_bounds(self) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """Least and largest action, shape (actions,) each; the actuators' ranges unless told.

        The range of a motor without one is what gives its largest force or torque.

        Raises:
            TaskError: The model does not bound the control of an actuator.
        """
        return self.sim.control_ranges()

    def action_parts(self) -> tuple[ActionPart, ...]:
        """What the columns of an action are, for the contract of a policy; see `ActionPart`.

        Unless told they are the controls of the actuators.
        """
        low, high = (np.asarray(bound, np.float64).ravel() for bound in self.action_bounds())
        is_bounded = np.isfinite(low) & np.isfinite(high) & (low < high)
        low, high = np.where(is_bounded, low, -1.0), np.where(is_bounded, high, 1.0)
        names = self.sim.names("actuator")
        if len(set(names)) != len(low) or "" in names:
            names = tuple(f"action_{k}" for k in range(len(low)))
        return tuple(
            ActionPart(
                name=name,
                unit="control",
                low=(least,),
                high=(largest,),
                least=least,
                largest=largest,
                meaning="control of an actuator of the simulation",
            )
            for name, least, largest in zip(names, low.tolist(), high.tolist(), strict=True)
        )

    def drives(self) -> tuple[Drive, ...]:
        """What the parts of an action move on a robot; nothing unless told."""
        return ()

    def arrival(self) -> float | None:
        """How near to its goal the robot is there [m]; None where no distance says it."""
        return None

    def robot(self) -> str | Path | None:
        """The robot that is moved, as `load_robot` takes it; None where it is no robot of ours."""
        return None

    def make_backend(self, model: Any, num_envs: int, threads: int) -> Backend:  # noqa: ANN401 - what build_model() gave
        """The simulations of what `build_model` gave, by the engine that `backend` names."""
        if self.config.backend == "warp":
            from horus_sim.rl.engines.warp_batch import WarpBackend

            return WarpBackend(model, num_envs, threads, type(self).__name__)
        from horus_sim.rl.engines.mujoco_batch import MujocoBackend

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

    def vary(self, ids: Ids) -> None:
        """Chooses what these environments are made of, before all else of a new episode.

        Randomizations then start from what was chosen; see `ModelVariants`.
        """

    def reset(self, ids: Ids) -> None:
        """Writes the state in which these environments begin; it was just set to the model's."""

    def before_step(self) -> None:
        """Keeps what terms compare with, such as the distance before the step."""

    def act(self) -> None:
        """Writes `self.actions` to the actuators of all environments."""
        self.ctrl[:] = self.actions

    def refresh(self, rows: Rows) -> None:
        """Computes, for these rows, what several terms share."""

    def mirror(self) -> MirrorImage | None:
        """What it looks like in a mirror, for learners; None where left and right differ."""
        return None

    def goals(self) -> Floats | None:
        """Where goals are drawn [m], shape (num_envs, 2) or (num_envs, 3), or None."""
        return None

    @cached_property
    def picture_model(self) -> MjModel:
        """The model that pictures show; where it has no lights, its headlight is bright."""
        from horus_sim.rl.pictures.mujoco_pictures import lit_model

        return lit_model(self._own_picture_model, self.sim)

    @property
    def has_picture_model(self) -> bool:
        """Whether pictures show another model than that of physics."""
        return self._own_picture_model is not None

    @cached_property
    def _own_picture_model(self) -> MjModel | None:
        built = self.build_picture_model()
        if built is None or not hasattr(built, "compile"):
            return built
        self.add_textures(built)
        return built.compile()

    @cached_property
    def pictures(self) -> Any:  # noqa: ANN401 - has draw(env, width, height) and close()
        """Draws environments; made when it is first asked for."""
        return self.make_pictures()

    def close(self) -> None:
        """Frees what draws pictures, if there is any."""
        if "pictures" in vars(self):
            self.pictures.close()
            del self.pictures

    def build_picture_model(self) -> MjModel | MjSpec | None:
        """A model with the same joints that pictures show instead; None for that of physics.

        To a spec textures are added that randomizations choose from.
        """
        return None

    def add_textures(self, spec: MjSpec) -> None:
        """Adds the textures that randomizations choose from to a spec of pictures."""
        from horus_sim.rl.randomization.visual import add_all_textures

        add_all_textures(spec, self.config.randomization)

    def dress(self, model: MjModel, env: int) -> None:
        """Writes into the model of one environment what only pictures show."""

    def make_pictures(self) -> Any:  # noqa: ANN401 - has draw(env, width, height) and close()
        """What draws environments: MuJoCo's renderer unless told."""
        from horus_sim.rl.pictures.mujoco_pictures import Pictures

        return Pictures(self)

    def view(self, env: int) -> View | None:
        """From where pictures of an environment are taken; None to look at all of the model."""
        del env
        return None

    def array(self, *shape: int, dtype: Any = np.float64) -> npt.NDArray[Any]:  # noqa: ANN401 - as NumPy's
        """An array of zeros over environments, shape (num_envs, *shape)."""
        return np.zeros((self.sim.num_envs, *shape), dtype)
