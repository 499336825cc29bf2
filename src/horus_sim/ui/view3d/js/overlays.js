// View modes: transform frames and physics. Each is a few buffers that are written in place.

import { CSS2DObject, THREE } from "nicegui-scene";

const AXIS_LENGTH = 0.3;
const METRES_PER_NEWTON = 0.02;
const LONGEST_FORCE = 1.0;
const LABEL_HEIGHT = 16, LABEL_CHARACTER = 6.7, MOST_SHIFTS = 9;
const X = 0xff3b30, Y = 0x34c759, Z = 0x3478f6;

/** Lines whose ends are set anew at will. */
export class Lines {
  constructor(color, vertexColors = false) {
    this.geometry = new THREE.BufferGeometry();
    this.material = new THREE.LineBasicMaterial({ color, vertexColors, depthTest: false, transparent: true });
    this.object = new THREE.LineSegments(this.geometry, this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
  }

  set(positions, colors) {
    setAttribute(this.geometry, "position", positions);
    if (colors) setAttribute(this.geometry, "color", colors);
  }

  dispose() {
    this.object.removeFromParent();
    this.geometry.dispose();
    this.material.dispose();
  }
}

export function setAttribute(geometry, name, values) {
  const present = geometry.getAttribute(name);
  if (present && present.array.length >= values.length) {
    present.array.set(values);
    present.needsUpdate = true;
  } else {
    geometry.setAttribute(name, new THREE.BufferAttribute(Float32Array.from(values), 3));
  }
  geometry.setDrawRange(0, values.length / 3);
}

export function points(color, size) {
  const material = new THREE.PointsMaterial({ color, size, sizeAttenuation: false, depthTest: false, transparent: true });
  const object = new THREE.Points(new THREE.BufferGeometry(), material);
  object.frustumCulled = false;
  object.renderOrder = 6;
  return object;
}

export class FramesOverlay {
  constructor(scene) {
    this.group = new THREE.Group();
    scene.add(this.group);
    this.axes = new Lines(0xffffff, true);
    this.links = new Lines(0xffcc00);
    this.links.material.opacity = 0.6;
    this.group.add(this.axes.object, this.links.object);
    this.labels = [];
    this.layout = { number: -1, names: [], parents: [], groups: [] };
    this.filter = { kind: "all", text: "" };
  }

  setLayout(layout) {
    this.layout = layout;
    for (const label of this.labels) label.removeFromParent();
    this.labels = layout.names.map((name) => {
      const label = makeLabel(name);
      this.group.add(label);
      return label;
    });
  }

  isShown(i) {
    const { kind, text } = this.filter;
    if (kind === "robot") return this.layout.groups[i] === "robot";
    if (kind === "sensors") return this.layout.groups[i] === "sensor";
    if (kind !== "custom") return true;
    const words = text.split(/[\s,]+/).filter(Boolean);
    return words.some((word) => this.layout.names[i].includes(word));
  }

  setPoses(number, values) {
    if (number !== this.layout.number) return;
    const { names, parents } = this.layout;
    const ends = [], colors = [], links = [];
    const origin = new THREE.Vector3(), tip = new THREE.Vector3(), rotation = new THREE.Quaternion();
    for (let i = 0; i < names.length; i++) {
      const at = 7 * i;
      const isKnown = !Number.isNaN(values[at]);
      const shown = isKnown && this.isShown(i);
      this.labels[i].visible = shown;
      if (!shown) continue;
      origin.fromArray(values, at);
      rotation.fromArray(values, at + 3);
      this.labels[i].position.copy(origin);
      [[1, 0, 0, X], [0, 1, 0, Y], [0, 0, 1, Z]].forEach(([x, y, z, hex]) => {
        tip.set(x, y, z).multiplyScalar(AXIS_LENGTH).applyQuaternion(rotation).add(origin);
        ends.push(...origin.toArray(), ...tip.toArray());
        const { r, g, b } = new THREE.Color(hex);
        colors.push(r, g, b, r, g, b);
      });
      const parent = parents[i];
      if (parent >= 0 && this.isShown(parent) && !Number.isNaN(values[7 * parent])) {
        links.push(...origin.toArray(), values[7 * parent], values[7 * parent + 1], values[7 * parent + 2]);
      }
    }
    this.axes.set(ends, colors);
    this.links.set(links);
  }

  /** Centre and extent [m] of all frames that are known, or null. */
  bounds() {
    const box = new THREE.Box3();
    this.labels.forEach((label) => label.visible && box.expandByPoint(label.position));
    if (box.isEmpty()) return null;
    const size = box.getSize(new THREE.Vector3()).length();
    return { center: box.getCenter(new THREE.Vector3()), extent: size + AXIS_LENGTH };
  }

  show(shown) {
    this.group.visible = shown;
    for (const label of this.labels) if (!shown) label.visible = false;
  }
}

/** Moves labels that would lie on each other apart, downward; who finds no room near is not shown. */
export function spreadLabels(labels, camera, width, height) {
  const at = new THREE.Vector3(), taken = [];
  for (const label of labels) {
    if (!label.visible) continue;
    at.copy(label.position).project(camera);
    const x = ((at.x + 1) * width) / 2, y = ((1 - at.y) * height) / 2;
    const half = (label.userData.length * LABEL_CHARACTER) / 2 + 5;
    let shift = 0;
    const overlaps = () => taken.some(
      (other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y - shift) < LABEL_HEIGHT,
    );
    for (let i = 0; i < MOST_SHIFTS && overlaps(); i++) shift += LABEL_HEIGHT;
    const isCrowded = overlaps();
    label.userData.inner.style.visibility = isCrowded ? "hidden" : "";
    if (isCrowded) continue;
    taken.push({ x, y: y + shift, half });
    const text = `translateY(${shift}px)`;
    if (label.userData.inner.style.transform !== text) label.userData.inner.style.transform = text;
  }
}

/** A name on the screen; the renderer places the outer element, `spreadLabels` the inner one. */
export function makeLabel(name) {
  const element = document.createElement("div");
  element.className = "horus-frame-label";
  const inner = document.createElement("span");
  inner.textContent = name;
  element.append(inner);
  const label = new CSS2DObject(element);
  label.userData = { inner, length: name.length };
  label.visible = false;
  return label;
}

export class PhysicsOverlay {
  constructor(scene) {
    this.group = new THREE.Group();
    scene.add(this.group);
    this.forces = new Lines(0xff2d55);
    this.velocities = new Lines(0x00c7be);
    this.axes = new Lines(0xaf52de);
    this.touches = points(0xff2d55, 6);
    this.centers = points(0xffd60a, 7);
    this.group.add(this.forces.object, this.velocities.object, this.axes.object, this.touches, this.centers);
  }

  set(values, model) {
    const count = values[0];
    const touches = [], forces = [];
    for (let i = 0; i < count; i++) {
      const [x, y, z, fx, fy, fz] = values.subarray(1 + 6 * i, 7 + 6 * i);
      const size = Math.hypot(fx, fy, fz);
      const scale = size > 0 ? Math.min(METRES_PER_NEWTON, LONGEST_FORCE / size) : 0;
      touches.push(x, y, z);
      forces.push(x, y, z, x + scale * fx, y + scale * fy, z + scale * fz);
    }
    this.forces.set(forces);
    setAttribute(this.touches.geometry, "position", touches);
    const centers = [], velocities = [], start = 1 + 6 * count;
    const center = new THREE.Vector3();
    model.bodies.forEach((body, i) => {
      if (model.scene.bodies[i].mass === 0) return;
      center.set(...model.scene.bodies[i].com).applyQuaternion(body.quaternion).add(body.position);
      centers.push(center.x, center.y, center.z);
      const [vx, vy, vz] = values.subarray(start + 3 * i, start + 3 * i + 3);
      velocities.push(center.x, center.y, center.z, center.x + vx, center.y + vy, center.z + vz);
    });
    setAttribute(this.centers.geometry, "position", centers);
    this.velocities.set(velocities);
    this.setJoints(model);
  }

  setJoints(model) {
    const ends = [], origin = new THREE.Vector3(), axis = new THREE.Vector3();
    for (const joint of model.scene.joints) {
      if (joint.kind !== "hinge" && joint.kind !== "slide") continue;
      const body = model.bodies[joint.body];
      origin.set(...joint.pos).applyQuaternion(body.quaternion).add(body.position);
      axis.set(...joint.axis).applyQuaternion(body.quaternion).multiplyScalar(0.12);
      ends.push(...origin.clone().sub(axis).toArray(), ...origin.clone().add(axis).toArray());
    }
    this.axes.set(ends);
  }

  show(shown) {
    this.group.visible = shown;
  }
}
