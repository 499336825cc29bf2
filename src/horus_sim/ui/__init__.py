"""Pages in the browser: `serve` puts a world on them, `show` does so until Ctrl-C."""

from __future__ import annotations

from horus_sim.ui.serving import ServedWorld, serve, show

__all__ = ["ServedWorld", "serve", "show"]
