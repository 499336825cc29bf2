"""What can be shown beside a world, each by a button: the other half is `views/view3d/js/modes/`.

A mode is a line of `VIEW_MODES` and a script of its name. Where it needs more than the view has
already, its function makes a frame, which the script gets from the channel of the mode's name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.ui.stream.frames import header

if TYPE_CHECKING:
    from horus_sim.sim3d import World


@dataclass(frozen=True, slots=True)
class ViewMode:
    """Something that can be shown beside the world.

    Attributes:
        name: Name of its script and of its channel.
        icon: Name of a Material icon.
        label: What the button says.
        frame: Makes a frame from the world and the number of its geometry; None if views have or
            get elsewhere what is shown.
    """

    name: str
    icon: str
    label: str
    frame: Callable[[World, int], bytes] | None = None


def physics_frame(world: World, number: int) -> bytes:
    """Contacts and velocities.

    Count of contacts as float32; then of each the point [m] and the force [N], shape (n, 6); then
    of each body the velocity [m/s] of its centre of mass, shape (nbody, 3). World frame.
    """
    contacts = world.contacts
    rows = np.array(
        [(*contact.position, *contact.force) for contact in contacts], dtype=np.float32
    ).reshape(-1, 6)
    model, data = world.model, world.forward()
    # MuJoCo keeps spatial velocities about the centre of mass of the whole tree.
    arms = data.xipos - data.subtree_com[model.body_rootid]
    velocities = data.cvel[:, 3:] + np.cross(data.cvel[:, :3], arms)
    count = np.array([len(rows)], dtype=np.float32)
    message = header(number, world.time)
    return message + count.tobytes() + rows.tobytes() + velocities.astype(np.float32).tobytes()


VIEW_MODES = (
    ViewMode("tf", "account_tree", "Frames"),
    ViewMode("collision", "category", "Collision shapes"),
    ViewMode("sensors", "sensors", "Sensors"),
    ViewMode("physics", "speed", "Physics", physics_frame),
)
