// What changes beside poses: readings of sensors, commands of wheels, paths.

import { node } from "horus-view2d/drawing.js";

const PUSH_M = 0.06; // length of the arrow of a full command
const TRACE_COLORS = ["#1e88e5", "#e53935", "#43a047", "#8e24aa"];

export class Overlays {
  constructor(drawing, traceLayer) {
    this.drawing = drawing;
    this.traceLayer = traceLayer;
    this.traces = [];
  }

  setReadings(readings, wheels) {
    for (const { item, parts } of this.drawing.devices.values()) {
      if (item.kind === "motor") {
        if (item.wheel >= 0) parts.push.setAttribute("x2", PUSH_M * wheels[2 * item.wheel]);
      } else if (item.first < 0) continue;
      else if (parts.dots) parts.dots.forEach((dot, k) => showLine(dot, readings[item.first + k]));
      else if (parts.rays) showRays(item, parts, readings);
    }
  }

  // Shows what a sensor could see where nothing is measured, as in an editor.
  showRanges() {
    for (const { item, parts } of this.drawing.devices.values()) {
      if (parts.rays) showRays({ ...item, first: 0 }, parts, new Float32Array(item.count).fill(item.range));
    }
  }

  // values: number of robots, then for each the count and x, y of its points.
  setTraces(values) {
    let place = 1;
    this.traces = Array.from({ length: values[0] || 0 }, (_, k) => {
      const count = values[place];
      const points = values.subarray(place + 1, place + 1 + 2 * count);
      place += 1 + 2 * count;
      return { points, text: textOf(points), color: TRACE_COLORS[k % TRACE_COLORS.length] };
    });
    while (this.traceLayer.children.length > this.traces.length) this.traceLayer.lastChild.remove();
    this.traces.forEach((trace, k) => {
      const line = this.traceLayer.children[k] ?? node("polyline", { class: "h2d-trace" }, this.traceLayer);
      line.setAttribute("stroke", trace.color);
      line.setAttribute("points", trace.text);
    });
  }

  // The newest piece reaches to where each robot is now.
  extendTraces(heads) {
    this.traces.forEach((trace, k) => {
      const line = this.traceLayer.children[k];
      if (heads[k] && trace.points.length) line?.setAttribute("points", `${trace.text} ${heads[k][0]},${heads[k][1]}`);
    });
  }
}

function textOf(points) {
  const parts = [];
  for (let i = 0; i < points.length; i += 2) parts.push(`${points[i].toFixed(4)},${points[i + 1].toFixed(4)}`);
  return parts.join(" ");
}

function showLine(dot, value) {
  const share = Math.round(100 * Math.min(1, Math.max(0, value)));
  if (dot.share === share) return;
  dot.share = share;
  dot.style.fill = `color-mix(in srgb, #ffca28 ${share}%, #263238)`;
}

function showRays(item, parts, readings) {
  let rays = "";
  let hits = "";
  parts.angles.forEach((angle, k) => {
    const length = readings[item.first + k];
    if (!(length >= 0)) return;
    const [x, y] = [(length * Math.cos(angle)).toFixed(4), (length * Math.sin(angle)).toFixed(4)];
    rays += `M0 0L${x} ${y}`;
    // A line of no length with round ends is a dot of a few pixels at any zoom.
    if (length < item.range * 0.999) hits += `M${x} ${y}h0`;
  });
  parts.rays.setAttribute("d", rays);
  parts.hits.setAttribute("d", hits);
}
