// The view mode of frames: axes and names of transform frames, and lines to their parents.

import { THREE } from "nicegui-scene";
import { Lines, makeLabel } from "horus-view3d/overlays.js";

const AXIS_LENGTH = 0.3;
const X = 0xff3b30, Y = 0x34c759, Z = 0x3478f6;
const NO_FRAMES = { number: -1, names: [], parents: [], groups: [] };

export default class FramesMode {
  constructor(view) {
    this.view = view;
    this.group = new THREE.Group();
    view.world.add(this.group);
    this.axes = new Lines(0xffffff, true);
    this.links = new Lines(0xffcc00);
    this.links.material.opacity = 0.6;
    this.group.add(this.axes.object, this.links.object);
    this.labels = [];
    this.setLayout(NO_FRAMES);
    this.configure();
  }

  /** Options: `source`, a channel; `filter`, which frames are shown; `text`, parts of their names. */
  configure() {
    const { source = "tf", filter = "all", text = "" } = this.view.modeOptions.tf ?? {};
    if (this.source !== source) {
      this.source = source;
      this.poses = null;
      this.isFramed = false;
      this.setLayout(NO_FRAMES);
    }
    this.filter = filter;
    this.words = text.split(/[\s,]+/).filter(Boolean);
    this.draw();
  }

  listeners() {
    return {
      [this.source]: ({ number, values }) => {
        this.poses = { number, values };
        this.draw();
      },
      [`${this.source}_layout`]: (layout) => {
        this.setLayout(layout);
        this.draw();
      },
    };
  }

  draw() {
    if (this.poses && this.group.visible) this.setPoses(this.poses.number, this.poses.values);
    const bounds = !this.view.source && !this.isFramed && this.bounds();
    if (bounds) {
      this.isFramed = true;
      this.view.viewpoint.frame(bounds.center, bounds.extent);
    }
    this.view.needsDraw = true;
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
    if (this.filter === "robot") return this.layout.groups[i] === "robot";
    if (this.filter === "sensors") return this.layout.groups[i] === "sensor";
    if (this.filter !== "custom") return true;
    return this.words.some((word) => this.layout.names[i].includes(word));
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
    this.draw();
  }
}
