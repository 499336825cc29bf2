"""What it costs: physics, frames, bodies, contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horus_sim.ui.kit.panel import facts

if TYPE_CHECKING:
    from horus_sim.ui.world.model.world_model import WorldModel

_REFRESH_S = 0.5


def build_performance(model: WorldModel) -> None:
    """A small table of figures."""
    drawn: dict[str, Any] = {}
    model.view.on_drawn(drawn.update)

    def texts() -> dict[str, str]:
        status = model.session.simulation.status
        rate = f"{drawn['ms']:.1f} ms, {drawn['fps']:.0f} a second" if drawn else "-"
        return {
            "Physics step": f"{status.step_ms:.3f} ms",
            "Frame on the server": f"{status.frame_ms:.3f} ms",
            "Frame in the browser": rate,
            "Quality": {None: "-", True: "low (no shadows)", False: "high"}[drawn.get("low")],
            "Real-time factor": f"{status.real_time_factor:.2f} of {status.speed:g}",
            **{name: str(count) for name, count in status.figures.items()},
            "Browsers": str(model.page.site.stream.clients),
            "Time dropped": f"{status.dropped_time:.2f} s",
        }

    labels = facts(tuple(texts()))

    def refresh() -> None:
        for name, text in texts().items():
            labels[name].text = text

    model.page.every(_REFRESH_S, refresh)
