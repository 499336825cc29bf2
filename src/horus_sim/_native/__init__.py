"""The compiled core. Loads the extension and makes sure that it belongs to these Python sources."""

from horus_sim import __version__
from horus_sim.errors import NativeVersionError

try:
    from horus_sim._native import _core
except ImportError as error:
    raise NativeVersionError(
        f"the compiled core of horus-sim does not load ({error}); install it with: "
        "pip install horus-sim, or in a checkout: ./run.sh doctor"
    ) from error

if _core.__version__ != __version__:
    raise NativeVersionError(
        f"the compiled core is version {_core.__version__}, the Python sources are {__version__}; "
        "install again: pip install --force-reinstall horus-sim, or in a checkout: ./run.sh doctor"
    )

from horus_sim._native._core import (
    ArmSolver,
    MessageCodec,
    MessageSender,
    RecordMaker,
    RlLayout,
    RlMassConstants,
    RlModelDraws,
    RlPlane,
    RlRover,
    Sim2dBatch,
    Sim2dBody,
    Sim2dJoint,
    Sim2dModel,
    Sim2dSensor,
    Sim2dSolver,
    Sim2dWheel,
    Sim2dWorld,
    Transform,
    Tree,
    arc_tangent,
    cosine_sine,
    rl_draw,
)

__all__ = [
    "ArmSolver",
    "MessageCodec",
    "MessageSender",
    "RecordMaker",
    "RlLayout",
    "RlMassConstants",
    "RlModelDraws",
    "RlPlane",
    "RlRover",
    "Sim2dBatch",
    "Sim2dBody",
    "Sim2dJoint",
    "Sim2dModel",
    "Sim2dSensor",
    "Sim2dSolver",
    "Sim2dWheel",
    "Sim2dWorld",
    "Transform",
    "Tree",
    "arc_tangent",
    "cosine_sine",
    "rl_draw",
]
