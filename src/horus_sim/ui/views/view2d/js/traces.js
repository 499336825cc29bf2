// Where robots have been.

import { node } from "horus-view2d/drawing.js";

const COLORS = ["#1e88e5", "#e53935", "#43a047", "#8e24aa"];

export class Traces {
  /** @param {SVGGElement} layer In the world. */
  constructor(layer) {
    this.layer = layer;
    this.traces = [];
  }

  // values: number of robots, then for each the count and x, y of its points.
  set(values) {
    let place = 1;
    this.traces = Array.from({ length: values[0] || 0 }, (_, k) => {
      const count = values[place];
      const points = values.subarray(place + 1, place + 1 + 2 * count);
      place += 1 + 2 * count;
      return { points, text: textOf(points), color: COLORS[k % COLORS.length] };
    });
    while (this.layer.children.length > this.traces.length) this.layer.lastChild.remove();
    this.traces.forEach((trace, k) => {
      const line = this.layer.children[k] ?? node("polyline", { class: "h2d-trace" }, this.layer);
      line.setAttribute("stroke", trace.color);
      line.setAttribute("points", trace.text);
    });
  }

  // From the end of each path to where its robot is now, and the colour.
  pieces(heads) {
    return this.traces.flatMap(({ points, color }, k) => (
      heads[k] && points.length ? [{ from: points.slice(-2), to: heads[k].slice(0, 2), color }] : []
    ));
  }

  // The newest piece reaches to where each robot is now.
  extend(heads) {
    this.traces.forEach((trace, k) => {
      const line = this.layer.children[k];
      if (heads[k] && trace.points.length) line?.setAttribute("points", `${trace.text} ${heads[k][0]},${heads[k][1]}`);
    });
  }
}

function textOf(points) {
  const parts = [];
  for (let i = 0; i < points.length; i += 2) parts.push(`${points[i].toFixed(4)},${points[i + 1].toFixed(4)}`);
  return parts.join(" ");
}
