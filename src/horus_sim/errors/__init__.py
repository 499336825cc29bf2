"""Every exception of the package, in one tree under `HorusError`.

Errors carry their data in attributes and name the culprit, the cause and the remedy in their text.
"""

from __future__ import annotations

from horus_sim.errors.applications import ActionError as ActionError
from horus_sim.errors.applications import ContractError as ContractError
from horus_sim.errors.applications import DeployError as DeployError
from horus_sim.errors.applications import EditError as EditError
from horus_sim.errors.applications import EnvSnapshotError as EnvSnapshotError
from horus_sim.errors.applications import ForkError as ForkError
from horus_sim.errors.applications import LaunchError as LaunchError
from horus_sim.errors.applications import PolicyError as PolicyError
from horus_sim.errors.applications import ResetError as ResetError
from horus_sim.errors.applications import RLError as RLError
from horus_sim.errors.applications import SimulationStoppedError as SimulationStoppedError
from horus_sim.errors.applications import TaskError as TaskError
from horus_sim.errors.applications import TrainingError as TrainingError
from horus_sim.errors.applications import UiError as UiError
from horus_sim.errors.applications import UnknownAttributeError as UnknownAttributeError
from horus_sim.errors.applications import UnknownPolicyError as UnknownPolicyError
from horus_sim.errors.applications import UnknownTaskError as UnknownTaskError
from horus_sim.errors.base import HorusError as HorusError
from horus_sim.errors.base import MissingExtraError as MissingExtraError
from horus_sim.errors.base import NativeVersionError as NativeVersionError
from horus_sim.errors.base import UnknownNameError as UnknownNameError
from horus_sim.errors.simulation import ArmError as ArmError
from horus_sim.errors.simulation import ArmFileError as ArmFileError
from horus_sim.errors.simulation import BatchError as BatchError
from horus_sim.errors.simulation import BodyStateError as BodyStateError
from horus_sim.errors.simulation import CommandError as CommandError
from horus_sim.errors.simulation import ConnectionFailedError as ConnectionFailedError
from horus_sim.errors.simulation import ControllerError as ControllerError
from horus_sim.errors.simulation import DescriptionError as DescriptionError
from horus_sim.errors.simulation import HubError as HubError
from horus_sim.errors.simulation import MessageError as MessageError
from horus_sim.errors.simulation import MissingResourceError as MissingResourceError
from horus_sim.errors.simulation import NodeError as NodeError
from horus_sim.errors.simulation import PhysicsError as PhysicsError
from horus_sim.errors.simulation import RecordingError as RecordingError
from horus_sim.errors.simulation import RenderError as RenderError
from horus_sim.errors.simulation import ScenarioError as ScenarioError
from horus_sim.errors.simulation import SceneError as SceneError
from horus_sim.errors.simulation import ServiceError as ServiceError
from horus_sim.errors.simulation import ServiceTimeoutError as ServiceTimeoutError
from horus_sim.errors.simulation import Sim2dError as Sim2dError
from horus_sim.errors.simulation import Sim3dError as Sim3dError
from horus_sim.errors.simulation import SimulationRequestError as SimulationRequestError
from horus_sim.errors.simulation import SnapshotError as SnapshotError
from horus_sim.errors.simulation import UnknownArmError as UnknownArmError
from horus_sim.errors.simulation import UnknownJointError as UnknownJointError
from horus_sim.errors.simulation import UnknownPartError as UnknownPartError
from horus_sim.errors.simulation import UnsupportedFormatError as UnsupportedFormatError
from horus_sim.errors.transforms import ConventionError as ConventionError
from horus_sim.errors.transforms import CycleError as CycleError
from horus_sim.errors.transforms import DisconnectedError as DisconnectedError
from horus_sim.errors.transforms import ExtrapolationError as ExtrapolationError
from horus_sim.errors.transforms import InvalidTransformError as InvalidTransformError
from horus_sim.errors.transforms import ReadOnlyError as ReadOnlyError
from horus_sim.errors.transforms import TFError as TFError
from horus_sim.errors.transforms import TransformTimeoutError as TransformTimeoutError
from horus_sim.errors.transforms import UnknownConventionError as UnknownConventionError
from horus_sim.errors.transforms import UnknownFrameError as UnknownFrameError
from horus_sim.errors.transforms import seconds as seconds
