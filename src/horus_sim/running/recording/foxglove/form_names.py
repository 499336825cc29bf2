"""Names that writing and reading of recordings share."""

from __future__ import annotations

from horus_sim.hub.transforms.broadcaster import TF_STATIC_TOPIC

TYPE_KEY = "horus.type"
"""Key in a channel's metadata: which message of ours it holds."""

PART_KEY = "horus.part"
"""Key in a channel's metadata: end of its topic, where it holds a part of each message."""

STATIC_TOPIC = TF_STATIC_TOPIC
