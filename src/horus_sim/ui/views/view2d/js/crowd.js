// Many bodies, on a canvas: as nodes they take a browser longer to draw than a frame lasts. Bodies, their devices and
// joints are painted; strokes, bounds and patches, which stay where they are, are nodes below.

import { KIND } from "horus-view/constants.js";
import { DEVICES } from "horus-view2d/device_paint.js";
import { JOINT_RADIUS, nosePath } from "horus-view2d/device_shapes.js";
import { Drawing, node } from "horus-view2d/drawing.js";

export const LEAST_CROWD = 50; // bodies that move, and devices
const CLICK_PIXELS = 4; // what is smaller is hit this far from its origin
const SELECTED = "#ffab00";
const JOINT = "#ab47bc";
const FRONT = "#ffffffcc";
const TRACE_PIXELS = 2;
const NOTHING = new Float32Array();

export class Crowd extends Drawing {
  /**
   * @param {object} layers As of a drawing.
   * @param {SVGGElement} top Names, knobs and handles, which lie over the canvas.
   */
  constructor(layers, top) {
    super(layers);
    this.top = top;
    this.svg = top.ownerSVGElement;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "h2d-crowd";
    this.canvas.setAttribute("aria-hidden", "true");
    this.over = node("svg", { class: "h2d-top" });
    this.over.append(top);
    this.svg.after(this.canvas, this.over);
    // By the processor: a thousand small outlines are no work for a GPU, and very slow with one that is emulated.
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true });
    this.selected = "";
    [this.readings, this.wheels] = [NOTHING, NOTHING];
    this.ink = "";
    this.pieces = [];
    // Light and dark are a class of the page.
    this.observer = new MutationObserver(() => {
      this.ink = "";
      this.isStale = true;
    });
    this.observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  dispose() {
    super.dispose();
    this.observer.disconnect();
    this.svg.append(this.top);
    this.canvas.remove();
    this.over.remove();
  }

  setBody(item) {
    if (item.kind === KIND.body2d.patch) {
      super.setBody(item);
      return;
    }
    const path = new Path2D();
    const front = new Path2D();
    if (item.radius === undefined) {
      for (const [x, y] of item.points) path.lineTo(x, y);
      path.closePath();
    } else {
      path.arc(0, 0, item.radius, 0, 2 * Math.PI);
      front.moveTo(0, 0);
      front.lineTo(item.radius, 0);
    }
    if (item.kind === KIND.body2d.robot) front.addPath(new Path2D(nosePath(item)));
    const hasFront = item.kind === KIND.body2d.robot || (item.moves && item.radius !== undefined);
    const reach = item.radius ?? Math.max(0, ...item.points.map((point) => Math.hypot(...point)));
    const devices = this.bodies.get(item.id)?.devices ?? [];
    this.bodies.set(item.id, { item, pose: [...item.pose], path, front: hasFront ? front : null, reach, devices });
    this.isStale = true;
  }

  setDevice(item) {
    const body = this.bodies.get(item.body);
    if (!body?.devices) return;
    const device = { item, ...DEVICES[item.kind]?.prepare?.(item) };
    body.devices = [...body.devices.filter((other) => other.item.id !== item.id), device];
    this.devices.set(item.id, device);
    this.isStale = true;
  }

  setJoint(item) {
    this.joints.set(item.id, { item });
    this.isStale = true;
  }

  remove(id) {
    const owner = this.bodies.get(this.devices.get(id)?.item.body);
    if (owner) owner.devices = owner.devices.filter((device) => device.item.id !== id);
    super.remove(id);
    this.isStale = true;
  }

  moved() {
    this.isStale = true;
  }

  placeJoint() {}

  setReadings(readings, wheels) {
    [this.readings, this.wheels] = [readings, wheels];
    if (this.devices.size) this.isStale = true;
  }

  // Where robots went since their paths were last told; a long path would be drawn anew with every frame.
  extend(traces, heads) {
    this.pieces = traces.pieces(heads);
  }

  select(id) {
    super.select(id);
    this.selected = id;
    this.isStale = true;
  }

  bodyAt(x, y, scale) {
    const near = CLICK_PIXELS / scale;
    for (const { item, pose, path, reach } of [...this.bodies.values()].reverse()) {
      const [dx, dy] = [x - pose[0], y - pose[1]];
      const distance = Math.hypot(dx, dy);
      if (!path || distance > Math.max(reach, near)) continue;
      const [c, s] = [Math.cos(pose[2]), Math.sin(pose[2])];
      if (distance <= near || item.radius !== undefined || isInside(item.points, c * dx + s * dy, c * dy - s * dx)) return item.id;
    }
    return "";
  }

  paint(camera, hidden) {
    if (!this.isStale) return;
    this.isStale = false;
    const { canvas, pen } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      [canvas.width, canvas.height] = [width, height];
      // A pixel of the canvas is one of the screen also where the view's own size is not whole.
      Object.assign(canvas.style, { width: `${width / ratio}px`, height: `${height / ratio}px` });
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, width, height);
    [pen.lineJoin, pen.lineCap] = ["round", "round"];
    this.ink ||= getComputedStyle(canvas).getPropertyValue("--ink");
    const scale = ratio * camera.scale;
    const [left, top] = camera.toScreen(0, 0).map((place) => place * ratio);
    const pixel = 1 / camera.scale;
    const shown = { pixel, readings: this.readings, wheels: this.wheels, rays: !hidden.includes("rays") };
    const hasDevices = !hidden.includes("devices");
    pen.setTransform(scale, 0, 0, -scale, left, top);
    if (!hidden.includes("trace")) for (const piece of this.pieces) this.paintPiece(piece, pixel);
    for (const body of this.bodies.values()) {
      if (!body.path) continue;
      const [x, y, theta] = body.pose;
      const [px, py] = [left + scale * x, top - scale * y];
      const reach = scale * body.reach;
      // Rays reach farther than the body that they begin at.
      const isSeen = px + reach > 0 && px - reach < width && py + reach > 0 && py - reach < height;
      if (!isSeen && !body.devices.length) continue;
      const [c, s] = [scale * Math.cos(theta), scale * Math.sin(theta)];
      pen.setTransform(c, -s, -s, -c, px, py);
      this.paintBody(body, pixel);
      if (hasDevices) for (const device of body.devices) paintDevice(pen, device, shown);
    }
    pen.setTransform(scale, 0, 0, -scale, left, top);
    for (const { item } of this.joints.values()) this.paintJoint(item, pixel);
  }

  paintBody({ item, path, front }, pixel) {
    const { pen } = this;
    const isSelected = item.id === this.selected;
    pen.fillStyle = item.fill;
    pen.fill(path);
    pen.strokeStyle = isSelected ? SELECTED : this.ink;
    pen.lineWidth = (isSelected ? 3 : 1.2) * pixel;
    pen.stroke(path);
    if (!front) return;
    pen.strokeStyle = FRONT;
    pen.lineWidth = 1.6 * pixel;
    pen.stroke(front);
  }

  paintPiece({ from, to, color }, pixel) {
    const { pen } = this;
    pen.strokeStyle = color;
    pen.lineWidth = TRACE_PIXELS * pixel;
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.stroke();
  }

  paintJoint({ parent, child, anchor_parent, anchor_child }, pixel) {
    const { pen } = this;
    const a = this.pointOf(parent, anchor_parent);
    const b = this.pointOf(child, anchor_child);
    if (!a || !b) return;
    pen.strokeStyle = JOINT;
    pen.lineWidth = 2 * pixel;
    pen.beginPath();
    pen.moveTo(...a);
    pen.lineTo(...b);
    pen.stroke();
    pen.fillStyle = JOINT;
    pen.strokeStyle = "#fff";
    pen.lineWidth = pixel;
    pen.beginPath();
    pen.arc(...a, JOINT_RADIUS, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
}

function paintDevice(pen, device, shown) {
  const [x, y, theta] = device.item.mount;
  pen.save();
  pen.translate(x, y);
  pen.rotate(theta);
  DEVICES[device.item.kind]?.paint(pen, device, shown);
  pen.restore();
}

// Whether a ray to the right crosses the outline an odd number of times.
function isInside(points, x, y) {
  let inside = false;
  points.forEach(([x1, y1], k) => {
    const [x2, y2] = points[(k + 1) % points.length];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  });
  return inside;
}
