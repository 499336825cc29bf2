// Nodes of what is in a scene. Every body is a <g> with its pose as transform; devices are inside it.

import { KIND } from "horus-view/constants.js";
import { AXES, CHIP, EYE, JOINT_RADIUS, RING_RADIUS, dotPlaces, dotRadius, nosePath, rayAngles, wheelBox } from "horus-view2d/device_shapes.js";
import { showRanges, showReadings } from "horus-view2d/readings.js";

const NS = "http://www.w3.org/2000/svg";
const DEGREES = 180 / Math.PI;

export function node(name, attributes = {}, parent = null) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.appendChild(made);
  return made;
}

export const poseText = (x, y, theta) => `translate(${x} ${y}) rotate(${theta * DEGREES})`;
const pointsText = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");

export class Drawing {
  /** @param {object} layers Groups: floor, walls, bodies, joints. */
  constructor(layers) {
    this.layers = layers;
    this.bodies = new Map(); // id -> { item, group, pose }
    this.strokes = new Map();
    this.devices = new Map(); // id -> { item, group, parts }
    this.joints = new Map();
    this.moving = [];
  }

  load(scene) {
    this.clear();
    this.setBounds(scene.bounds);
    for (const stroke of scene.strokes) this.setStroke(stroke);
    for (const body of scene.bodies) this.setBody(body);
    for (const device of scene.devices) this.setDevice(device);
    for (const joint of scene.joints) this.setJoint(joint);
    this.setMoving(scene.moving ?? []);
  }

  clear() {
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    for (const map of [this.bodies, this.strokes, this.devices, this.joints]) map.clear();
  }

  // Another drawing takes its place.
  dispose() {
    this.clear();
  }

  // Adds or replaces only what is given; `removed` are ids.
  patch(change) {
    for (const id of change.removed ?? []) this.remove(id);
    if ("bounds" in change) this.setBounds(change.bounds);
    for (const stroke of change.strokes ?? []) this.setStroke(stroke);
    for (const body of change.bodies ?? []) this.setBody(body);
    for (const device of change.devices ?? []) this.setDevice(device);
    for (const joint of change.joints ?? []) this.setJoint(joint);
    if (change.moving) this.setMoving(change.moving);
  }

  remove(id) {
    for (const map of [this.bodies, this.strokes, this.devices, this.joints]) {
      map.get(id)?.group?.remove();
      map.delete(id);
    }
  }

  setMoving(ids) {
    this.moving = ids.map((id) => this.bodies.get(id)).filter(Boolean);
  }

  setBounds(bounds) {
    this.boundsNode?.remove();
    this.boundsNode = null;
    if (!bounds) return;
    const { low, high, width } = bounds;
    this.boundsNode = node("rect", {
      class: "h2d-bounds", "data-id": "bounds", "data-kind": "bounds",
      x: low[0] - width / 2, y: low[1] - width / 2, "stroke-width": width,
      width: high[0] - low[0] + width, height: high[1] - low[1] + width,
    }, this.layers.walls);
  }

  setStroke(item) {
    const layer = item.kind === KIND.stroke2d.mark ? this.layers.floor : this.layers.walls;
    const group = node("g", { "data-id": item.id, "data-kind": "stroke", role: "img", "aria-label": item.label ?? item.id });
    const points = pointsText(item.points);
    if (item.kind === KIND.stroke2d.mark) node("polyline", { class: "h2d-rim", points, "stroke-width": item.width + 0.005 }, group);
    node("polyline", {
      class: `h2d-${item.kind}`, points, "stroke-width": item.width,
      stroke: item.color,
    }, group);
    this.place(this.strokes, item, group, layer);
  }

  setBody(item) {
    const layer = item.kind === KIND.body2d.patch ? this.layers.floor : this.layers.bodies;
    const group = node("g", {
      class: `h2d-body h2d-${item.kind}${item.moves ? "" : " h2d-fixed"}`,
      "data-id": item.id, "data-kind": "body", role: "img", "aria-label": item.label ?? item.id,
    });
    if (item.radius !== undefined) {
      node("circle", { class: "h2d-shape", r: item.radius, fill: item.fill }, group);
      if (item.moves && item.kind !== KIND.body2d.patch) node("line", { class: "h2d-heading", x1: 0, y1: 0, x2: item.radius, y2: 0 }, group);
    } else node("polygon", { class: "h2d-shape", points: pointsText(item.points), fill: item.fill }, group);
    const nose = item.kind === KIND.body2d.robot && nosePath(item);
    if (nose) node("path", { class: "h2d-nose", d: nose }, group);
    const before = this.bodies.get(item.id);
    // Devices stay with a body that is drawn anew.
    if (before) for (const child of before.group.querySelectorAll(":scope > [data-kind=device]")) group.appendChild(child);
    group.setAttribute("transform", poseText(...item.pose));
    this.place(this.bodies, item, group, layer);
    this.bodies.get(item.id).pose = [...item.pose];
  }

  setDevice(item) {
    const group = node("g", {
      class: `h2d-device h2d-${item.kind}`, "data-id": item.id, "data-kind": "device",
      role: "img", "aria-label": item.label ?? item.id, transform: poseText(...item.mount),
    });
    const parts = DEVICES[item.kind]?.(item, group) ?? {};
    const parent = this.bodies.get(item.body)?.group;
    if (!parent) return;
    this.place(this.devices, item, group, parent);
    this.devices.get(item.id).parts = parts;
  }

  setJoint(item) {
    const group = node("g", { class: `h2d-joint h2d-joint-${item.kind}`, "data-id": item.id, "data-kind": "joint", role: "img", "aria-label": item.label ?? item.id });
    node("line", { class: "h2d-joint-line" }, group);
    node("circle", { class: "h2d-joint-dot", r: JOINT_RADIUS }, group);
    this.place(this.joints, item, group, this.layers.joints);
    this.placeJoint(this.joints.get(item.id));
  }

  place(map, item, group, layer) {
    const before = map.get(item.id)?.group;
    if (before?.parentNode === layer) before.replaceWith(group);
    else {
      before?.remove();
      layer.appendChild(group);
    }
    map.set(item.id, { item, group });
  }

  // values: float32 (n, 3) of the moving bodies; only what changed is written.
  setPoses(values) {
    let changed = false;
    for (let i = 0; i < this.moving.length; i += 1) {
      const body = this.moving[i];
      const pose = body.pose;
      const [x, y, theta] = [values[3 * i], values[3 * i + 1], values[3 * i + 2]];
      if (pose[0] === x && pose[1] === y && pose[2] === theta) continue;
      body.pose = [x, y, theta];
      this.moved(body);
      changed = true;
    }
    if (changed) for (const joint of this.joints.values()) this.placeJoint(joint);
    return changed;
  }

  setPose(id, pose) {
    const body = this.bodies.get(id);
    if (!body) return;
    body.pose = [...pose];
    this.moved(body);
    for (const joint of this.joints.values()) this.placeJoint(joint);
  }

  moved({ group, pose }) {
    group.setAttribute("transform", poseText(...pose));
  }

  placeJoint({ item, group }) {
    const a = this.pointOf(item.parent, item.anchor_parent);
    const b = this.pointOf(item.child, item.anchor_child);
    if (!a || !b) return;
    const [line, dot] = group.children;
    for (const [key, value] of Object.entries({ x1: a[0], y1: a[1], x2: b[0], y2: b[1] })) line.setAttribute(key, value);
    dot.setAttribute("cx", a[0]);
    dot.setAttribute("cy", a[1]);
  }

  setReadings(readings, wheels) {
    showReadings(this.devices.values(), readings, wheels);
  }

  showRanges() {
    showRanges(this.devices.values());
  }

  // The newest piece of each path reaches to where its robot is now.
  extend(traces, heads) {
    traces.extend(heads);
  }

  // Marks a thing; '' for none.
  select(id) {
    this.marked?.classList.remove("h2d-selected");
    this.marked = this.find(id)?.group;
    this.marked?.classList.add("h2d-selected");
  }

  // Draws what is not a node; nodes are drawn by the browser.
  paint() {}

  // Id of what is not a node at a point of the world [m], '' for none.
  bodyAt() {
    return "";
  }

  // A point in a body's frame, in the world.
  pointOf(id, [px, py]) {
    const body = this.bodies.get(id);
    if (!body) return null;
    const [x, y, theta] = body.pose;
    const [c, s] = [Math.cos(theta), Math.sin(theta)];
    return [x + c * px - s * py, y + s * px + c * py];
  }

  // Pose in the world of a body or a device.
  poseOf(id) {
    const body = this.bodies.get(id);
    if (body) return [...body.pose];
    const device = this.devices.get(id);
    const parent = device && this.bodies.get(device.item.body);
    if (!parent) return null;
    const [x, y] = this.pointOf(device.item.body, device.item.mount);
    return [x, y, parent.pose[2] + device.item.mount[2]];
  }

  find(id) {
    return this.bodies.get(id) ?? this.devices.get(id) ?? this.strokes.get(id) ?? this.joints.get(id) ?? null;
  }
}

const DEVICES = {
  motor(item, group) {
    node("rect", { class: "h2d-wheel", ...wheelBox(item) }, group);
    return { push: node("line", { class: "h2d-push" }, group) };
  },
  line(item, group) { return this.line_array({ ...item, count: 1 }, group); },
  line_array(item, group) {
    const r = dotRadius(item);
    return { dots: dotPlaces(item).map((cy) => node("circle", { class: "h2d-dot", r, cx: 0, cy }, group)) };
  },
  distance(item, group) {
    const rays = node("path", { class: "h2d-ray" }, group);
    const hits = node("path", { class: "h2d-hit" }, group);
    node("path", { class: "h2d-eye", d: EYE }, group);
    return { rays, hits, angles: rayAngles(item) };
  },
  imu(item, group) {
    node("rect", { class: "h2d-chip", ...CHIP }, group);
    node("path", { class: "h2d-axes", d: AXES }, group);
    return {};
  },
  encoder(item, group) {
    node("circle", { class: "h2d-ring", r: RING_RADIUS }, group);
    return {};
  },
};
