// Devices on a canvas, in the frame of their mount. `paint` gets the pen, the device, and what is shown: the size of a
// pixel [m], readings and wheels of the frame, and whether rays are visible.

import { AXES, CHIP, EYE, PUSH_M, RING_RADIUS, dotPlaces, dotRadius, isHit, rayAngles, wheelBox } from "horus-view2d/device_shapes.js";

const DARK = [38, 50, 56];
const BRIGHT = [255, 202, 40];
const HIT_PIXELS = 2.5;
const RIM_PIXELS = 2; // dots of a smaller radius have no rim

function outline(pen, path, fill, stroke, width) {
  pen.fillStyle = fill;
  pen.fill(path);
  pen.strokeStyle = stroke;
  pen.lineWidth = width;
  pen.stroke(path);
}

function line(pen, path, stroke, width) {
  pen.strokeStyle = stroke;
  pen.lineWidth = width;
  pen.stroke(path);
}

function boxPath({ x, y, width, height, rx }) {
  const path = new Path2D();
  path.roundRect(x, y, width, height, rx);
  return path;
}

function discPath(x, y, radius) {
  const path = new Path2D();
  path.arc(x, y, radius, 0, 2 * Math.PI);
  return path;
}

// Colour of a line sensor that sees so much, 0 to 1.
function shade(value) {
  const share = Math.min(1, Math.max(0, value || 0));
  return `rgb(${DARK.map((dark, k) => Math.round(dark + share * (BRIGHT[k] - dark))).join()})`;
}

const motor = {
  prepare: (item) => ({ path: boxPath(wheelBox(item)) }),
  paint(pen, { item, path }, { pixel, wheels }) {
    outline(pen, path, "#22282e", "#0b0e11", 0.8 * pixel);
    const command = item.wheel >= 0 ? wheels[2 * item.wheel] : 0;
    if (!command) return;
    const push = new Path2D();
    push.lineTo(0, 0);
    push.lineTo(PUSH_M * command, 0);
    line(pen, push, "#00c853", 2.5 * pixel);
  },
};

const lineArray = {
  prepare(item) {
    const radius = dotRadius(item);
    return { radius, dots: dotPlaces(item).map((y) => discPath(0, y, radius)) };
  },
  paint(pen, { item, radius, dots }, { pixel, readings }) {
    const hasRim = radius >= RIM_PIXELS * pixel;
    dots.forEach((dot, k) => {
      pen.fillStyle = shade(item.first < 0 ? 0 : readings[item.first + k]);
      pen.fill(dot);
      if (hasRim) line(pen, dot, "#fff", 0.6 * pixel);
    });
  },
};

const distance = {
  prepare: (item) => ({ eye: new Path2D(EYE), angles: rayAngles(item) }),
  paint(pen, { item, eye, angles }, { pixel, readings, rays }) {
    if (rays && item.first >= 0) paintRays(pen, item, angles, pixel, readings);
    pen.fillStyle = "#ff7043";
    pen.fill(eye);
  },
};

function paintRays(pen, item, angles, pixel, readings) {
  const lines = new Path2D();
  const hits = new Path2D();
  angles.forEach((angle, k) => {
    const length = readings[item.first + k];
    if (!(length >= 0)) return;
    const [x, y] = [length * Math.cos(angle), length * Math.sin(angle)];
    lines.moveTo(0, 0);
    lines.lineTo(x, y);
    if (!isHit(length, item)) return;
    hits.moveTo(x + HIT_PIXELS * pixel, y);
    hits.arc(x, y, HIT_PIXELS * pixel, 0, 2 * Math.PI);
  });
  line(pen, lines, "#ff70438c", pixel);
  pen.fillStyle = "#d84315";
  pen.fill(hits);
}

const imu = {
  prepare: () => ({ chip: boxPath(CHIP), axes: new Path2D(AXES) }),
  paint(pen, { chip, axes }, { pixel }) {
    outline(pen, chip, "#455a64", "#eceff1", 0.8 * pixel);
    line(pen, axes, "#fff", pixel);
  },
};

const encoder = {
  prepare: () => ({ ring: discPath(0, 0, RING_RADIUS) }),
  paint: (pen, { ring }, { pixel }) => line(pen, ring, "#ffd54f", 1.6 * pixel),
};

export const DEVICES = { motor, line: lineArray, line_array: lineArray, distance, imu, encoder };
