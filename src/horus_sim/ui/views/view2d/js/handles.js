// Small things to pull, drawn in pixels over the world: { id, x, y, kind } in world coordinates.

import { node } from "horus-view2d/drawing.js";

const RADIUS = { vertex: 6, middle: 4.5, turn: 6, size: 6 };

export class Handles {
  /** @param {SVGGElement} layer In pixels. */
  constructor(layer, camera) {
    this.layer = layer;
    this.camera = camera;
    this.items = [];
  }

  set(items) {
    this.items = items;
    this.layer.replaceChildren();
    this.nodes = items.map((item) => node("circle", {
      class: `h2d-handle h2d-handle-${item.kind ?? "vertex"}`, r: RADIUS[item.kind] ?? 6,
      "data-id": item.id, "data-kind": "handle", role: "button", "aria-label": item.label ?? item.id,
    }, this.layer));
    this.place();
  }

  move(id, x, y) {
    const item = this.items.find((other) => other.id === id);
    if (item) Object.assign(item, { x, y });
    this.place();
  }

  place() {
    this.items.forEach((item, k) => {
      const [px, py] = this.camera.toScreen(item.x, item.y);
      this.nodes[k].setAttribute("cx", px);
      this.nodes[k].setAttribute("cy", py);
    });
  }
}
