// What view modes draw with: lines, points and labels, whose buffers are written in place.

import { CSS2DObject, THREE } from "nicegui-scene";

const LABEL_HEIGHT = 16, LABEL_CHARACTER = 6.7, MOST_SHIFTS = 9;

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
