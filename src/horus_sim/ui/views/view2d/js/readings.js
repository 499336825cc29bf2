// Readings of sensors and commands of wheels, at the nodes of devices.

import { KIND } from "horus-view/constants.js";
import { PUSH_M, isHit } from "horus-view2d/device_shapes.js";

export function showReadings(devices, readings, wheels) {
  for (const { item, parts } of devices) {
    if (item.kind === KIND.motor2d.motor) {
      if (item.wheel >= 0) parts.push.setAttribute("x2", PUSH_M * wheels[2 * item.wheel]);
    } else if (item.first < 0) continue;
    else if (parts.dots) parts.dots.forEach((dot, k) => showLine(dot, readings[item.first + k]));
    else if (parts.rays) showRays(item, parts, readings);
  }
}

// Shows what a sensor could see where nothing is measured, as in an editor.
export function showRanges(devices) {
  for (const { item, parts } of devices) {
    if (parts.rays) showRays({ ...item, first: 0 }, parts, new Float32Array(item.count).fill(item.range));
  }
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
    if (isHit(length, item)) hits += `M${x} ${y}h0`;
  });
  parts.rays.setAttribute("d", rays);
  parts.hits.setAttribute("d", hits);
}
