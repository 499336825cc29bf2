"""A picture of the learning curve. Needs the extra ``[plot]``, which ``[train]`` brings."""

from __future__ import annotations

import io
from importlib.util import find_spec

from horus_sim.errors import MissingExtraError, TrainingError
from horus_sim.files.whole_file import write_whole
from horus_sim.rl.training.run_folder import RunFolder, read_rows


def draw_curve(run: RunFolder) -> None:
    """Draws success and return over steps, in training and in evaluations, as a PNG.

    Raises:
        TrainingError: The picture cannot be written; an old one stays.
    """
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "train")
    from matplotlib.figure import Figure

    training, evaluations = read_rows(run.progress), read_rows(run.evaluations)
    figure = Figure(figsize=(7, 5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    for axes, key, label in (
        (upper, "success_rate", "success rate"),
        (lower, "mean_return", "return"),
    ):
        for rows, style, name in (
            (training, "-", "training, with exploration"),
            (evaluations, "o", "evaluation, deterministic"),
        ):
            axes.plot([row["steps"] for row in rows], [row[key] for row in rows], style, label=name)
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
    upper.set_ylim(-0.02, 1.02)
    upper.set_title(run.read_config().task)
    upper.legend(loc="lower right")
    lower.set_xlabel("steps")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=100)
    write_whole(run.curve, picture.getvalue(), TrainingError)
