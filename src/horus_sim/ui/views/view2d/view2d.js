// A world seen from above, as SVG, and on a canvas where there are many bodies: draws a scene and the poses of a
// stream, and tells what the user does.

import { viewBase } from "horus-view/view_base.js";
import { Camera, extentOf, gridStep } from "horus-view2d/camera.js";
import { Crowd, LEAST_CROWD } from "horus-view2d/crowd.js";
import { Drawing, node } from "horus-view2d/drawing.js";
import { Gestures } from "horus-view2d/gestures.js";
import { Handles } from "horus-view2d/handles.js";
import { addStyle } from "horus-view2d/style.js";
import { Traces } from "horus-view2d/traces.js";

const KNOB_PIXELS = 26;
const GRID_PIXELS = 14;
const SCALE_PIXELS = 90;
const KEY_ZOOM = 1.25;
const MOST_NAMES = 30; // of robots: more would hide what they name

export default {
  mixins: [viewBase],
  template: `
    <div class="h2d" :class="hidden.map((name) => 'h2d-hide-' + name)" @pointerdown="gestures.down($event)"
         @pointermove="gestures.move($event)" @pointerup="gestures.up($event)" @pointercancel="gestures.up($event)"
         @wheel.prevent="gestures.wheel($event)" @dblclick="gestures.double($event)" @keydown="key"
         @contextmenu.prevent @pointerleave="where = ''">
      <svg ref="svg" tabindex="0" role="application" :aria-label="label">
        <defs>
          <pattern ref="minor" :id="gridId + 'a'" patternUnits="userSpaceOnUse"><path class="h2d-grid-minor"/></pattern>
          <pattern ref="major" :id="gridId + 'b'" patternUnits="userSpaceOnUse"><path class="h2d-grid-major"/></pattern>
        </defs>
        <g class="h2d-grid">
          <rect width="100%" height="100%" :fill="'url(#' + gridId + 'a)'"/>
          <rect width="100%" height="100%" :fill="'url(#' + gridId + 'b)'"/>
        </g>
        <g ref="world"><g ref="floor"/><g ref="walls"/><g ref="trace"/><g ref="bodies"/><g ref="joints"/></g>
        <g ref="top"><g ref="labels" aria-hidden="true"/><g ref="knob"/><g ref="handles"/></g>
      </svg>
      <div class="h2d-where" v-show="where">{{ where }}</div>
      <div class="h2d-scale" :style="{ width: scaleBar.px + 'px' }">{{ scaleBar.text }}<div></div></div>
      <div v-show="!isConnected" class="horus-lost" role="alert">Connection lost; trying again</div>
    </div>`,
  props: {
    channel: { type: String, default: "" },
    label: { type: String, default: "2D view" },
    scene: { type: Object, default: null },
    selected: { type: String, default: "" },
    draggable: { type: Array, default: () => [] },
    tool: { type: String, default: "select" },
    snap: { type: Number, default: 0 },
    hidden: { type: Array, default: () => [] },
    handles: { type: Array, default: () => [] },
    follow: { type: String, default: "" },
    camera: { type: Array, default: () => [] },
    echo: { type: Boolean, default: false },
    units: { type: String, default: "m" },
  },
  data: () => ({ where: "", scaleBar: { px: 0, text: "" }, gridId: "" }),

  created() {
    this.gestures = new Gestures(this);
    this.gridId = `h2d-grid-${this.$.uid}-`;
  },

  mounted() {
    addStyle();
    const { floor, walls, bodies, joints, trace, handles } = this.$refs;
    this.view = new Camera();
    this.layers = { floor, walls, bodies, joints };
    this.drawing = new Drawing(this.layers);
    this.traces = new Traces(trace);
    this.pulls = new Handles(handles, this.view);
    this.watchSize();
    if (this.channel) {
      this.connect({
        [this.channel]: ({ number, time, values }) => { this.latest = { number, time, values }; },
        [`${this.channel}_scene`]: ({ scene }) => this.adopt(scene),
        [`${this.channel}_trace`]: ({ number, values }) => { this.traceValues = { number, values }; },
      });
    }
    if (this.scene) this.adopt(this.scene);
    this.pulls.set(this.handles);
    this.animate();
  },

  beforeUnmount() {
    this.gestures.dispose();
    this.drawing.dispose();
  },

  watch: {
    scene() { if (this.scene) this.adopt(this.scene); },
    selected() { this.markSelected(); },
    hidden() { this.drawing.isStale = true; },
    handles() { this.pulls.set(this.handles); },
    follow() { this.needsCamera = true; },
    camera() { this.lookAt(this.camera); },
    tool() { this.needsCamera = true; },
    units() { this.needsCamera = true; },
  },

  methods: {
    // Called by the server: a whole scene, or only what changed in it.
    setScene(scene) { this.adopt(scene); },
    patch(change) {
      this.drawing.patch(change);
      this.markSelected();
    },

    adopt(scene) {
      const isNew = this.loaded?.name !== scene.name;
      this.loaded = scene;
      this.chooseDrawing(scene);
      this.drawing.load(scene);
      if (this.latest) this.latest.isApplied = false;
      if (isNew) {
        this.traces.set(new Float32Array(1));
        if (this.camera.length === 3 && !this.hasLooked) this.lookAt(this.camera);
        else this.fit();
        this.hasLooked = true;
      }
      if (!this.channel) this.drawing.showRanges();
      this.markSelected();
      this.$el.dataset.scene = scene.name;
      this.$el.dataset.revision = scene.revision;
    },

    // An editor needs a node for each thing, and nothing moves there by itself.
    chooseDrawing(scene) {
      const isCrowd = Boolean(this.channel) && scene.moving.length + scene.devices.length >= LEAST_CROWD;
      if (isCrowd === this.drawing instanceof Crowd) return;
      this.drawing.dispose();
      this.drawing = isCrowd ? new Crowd(this.layers, this.$refs.top) : new Drawing(this.layers);
    },

    fit() {
      if (this.loaded) this.view.fit(extentOf(this.loaded));
      this.fits = true;
      this.needsCamera = true;
      this.tellCamera();
    },

    lookAt([x, y, scale]) {
      if (![x, y, scale].every(Number.isFinite)) return;
      Object.assign(this.view, { x, y });
      this.view.scale = Math.min(20000, Math.max(5, scale));
      this.fits = false;
      this.needsCamera = true;
    },

    zoomBy(factor) {
      this.view.zoom(factor, this.view.width / 2, this.view.height / 2);
      this.fits = false;
      this.needsCamera = true;
      this.tellCamera();
    },

    resize() {
      const { clientWidth: width, clientHeight: height } = this.$el;
      if (!width || !height) return;
      this.view.resize(width, height);
      if (this.fits) this.fit();
      this.needsCamera = true;
    },

    tick() {
      this.applyFrame();
      if (this.needsCamera) this.placeCamera();
      this.drawing.paint(this.view, this.hidden);
      this.connection?.acknowledge();
    },

    applyFrame() {
      const revision = this.loaded?.revision;
      if (this.traceValues && this.traceValues.number === revision) {
        this.traces.set(this.traceValues.values);
        this.traceValues = null;
      }
      const frame = this.latest;
      if (!frame || frame.isApplied || frame.number !== revision) return;
      frame.isApplied = true;
      const [moving, readings, wheels] = frame.values;
      const at = [3, 3 + 3 * moving, 3 + 3 * moving + readings];
      const moved = this.drawing.setPoses(frame.values.subarray(at[0], at[1]));
      this.drawing.setReadings(frame.values.subarray(at[1], at[2]), frame.values.subarray(at[2], at[2] + 2 * wheels));
      if (moved) {
        this.drawing.extend(this.traces, this.headPoses());
        this.needsCamera = this.needsCamera || Boolean(this.follow);
        this.placeLabels();
      }
      this.$el.dataset.time = frame.time.toFixed(4);
    },

    // First body of each robot, in the order of the scene.
    headPoses() {
      const heads = new Map();
      for (const { item, pose } of this.drawing.bodies.values()) {
        if (item.robot && !heads.has(item.robot)) heads.set(item.robot, pose);
      }
      return [...heads.values()];
    },

    placeCamera() {
      this.needsCamera = false;
      this.drawing.isStale = true;
      const target = this.follow && this.drawing.poseOf(this.follow);
      if (target) [this.view.x, this.view.y] = target;
      this.$refs.world.setAttribute("transform", this.view.matrix);
      this.$refs.svg.classList.toggle("h2d-drawing", this.tool === "draw");
      const step = gridStep(this.view.scale, GRID_PIXELS);
      this.placeGrid(this.$refs.minor, step);
      this.placeGrid(this.$refs.major, 5 * step);
      const bar = gridStep(this.view.scale, SCALE_PIXELS);
      const shown = this.units === "mm" ? [1000 * bar, "mm"] : bar < 1 ? [100 * bar, "cm"] : [bar, "m"];
      this.scaleBar = { px: bar * this.view.scale, text: `${Number(shown[0].toPrecision(3))} ${shown[1]}` };
      this.pulls.place();
      this.placeLabels();
    },

    placeGrid(pattern, step) {
      const size = step * this.view.scale;
      const [x, y] = this.view.toScreen(0, 0);
      for (const [key, value] of Object.entries({ x: x % size, y: y % size, width: size, height: size })) pattern.setAttribute(key, value);
      pattern.firstElementChild.setAttribute("d", `M0 0H${size}M0 0V${size}`);
    },

    markSelected() {
      this.drawing.select(this.selected);
      this.placeLabels();
    },

    // Names of the selected thing and of robots, and the knob that turns.
    placeLabels() {
      const names = new Map();
      const robots = this.headPoses();
      if (robots.length > 1 && robots.length <= MOST_NAMES) {
        for (const { item } of this.drawing.bodies.values()) {
          if (item.robot && !names.has(item.robot)) names.set(item.robot, item.id);
        }
      }
      if (this.drawing.poseOf(this.selected)) names.set(this.drawing.find(this.selected).item.label ?? this.selected, this.selected);
      const layer = this.$refs.labels;
      while (layer.children.length > names.size) layer.lastChild.remove();
      let k = 0;
      for (const [text, id] of names) {
        const [x, y] = this.view.toScreen(...this.drawing.poseOf(id));
        const label = layer.children[k] ?? node("text", { class: "h2d-label" }, layer);
        if (label.textContent !== text) label.textContent = text;
        label.setAttribute("x", x);
        const reach = this.reachOf(id) * this.view.scale;
        // Not where the knob is.
        const isUp = Math.sin(this.drawing.poseOf(id)[2]) > 0;
        label.setAttribute("y", isUp ? y + reach + 18 : y - reach - 8);
        k += 1;
      }
      this.placeKnob();
    },

    reachOf(id) {
      const item = this.drawing.bodies.get(id)?.item;
      return item?.radius ?? Math.max(0, ...(item?.points ?? []).map((p) => Math.hypot(...p)));
    },

    placeKnob() {
      const layer = this.$refs.knob;
      const body = this.drawing.bodies.get(this.selected);
      if (!body || !this.canDrag(this.selected, "body")) {
        layer.replaceChildren();
        return;
      }
      if (!layer.children.length) {
        node("line", { class: "h2d-stem" }, layer);
        node("circle", { class: "h2d-handle h2d-handle-turn", r: 7, "data-kind": "turn", "data-id": "turn", role: "button", "aria-label": "Turn" }, layer);
      }
      const [x, y, theta] = body.pose;
      const [px, py] = this.view.toScreen(x, y);
      const reach = this.reachOf(this.selected) * this.view.scale + KNOB_PIXELS;
      const [kx, ky] = [px + reach * Math.cos(theta), py - reach * Math.sin(theta)];
      const [stem, knob] = layer.children;
      for (const [key, value] of Object.entries({ x1: px, y1: py, x2: kx, y2: ky })) stem.setAttribute(key, value);
      knob.setAttribute("cx", kx);
      knob.setAttribute("cy", ky);
    },

    // What `Gestures` says.

    report(event, name, more) {
      const [x, y] = this.view.toWorld(...this.gestures.at(event));
      this.$emit(name, {
        x, y, snapped: [this.snapped(x), this.snapped(y)],
        shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey, alt: event.altKey, button: event.button, ...more,
      });
    },

    snapped(value) {
      return this.snap > 0 ? Math.round(value / this.snap) * this.snap : value;
    },

    canDrag(id, kind) {
      if (!this.draggable.includes(kind)) return false;
      const item = this.drawing.find(id)?.item;
      return kind !== "body" || this.draggable.includes("fixed") || Boolean(item?.moves || item?.robot);
    },

    looked() {
      this.fits = false;
      this.needsCamera = true;
    },

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "+" || event.key === "=") this.zoomBy(KEY_ZOOM);
      else if (event.key === "-") this.zoomBy(1 / KEY_ZOOM);
      else if (event.key === "0") this.fit();
    },

    // Millimetres are those of CAD, whose y points forward.
    showWhere([px, py]) {
      const [x, y] = this.view.toWorld(px, py);
      this.where = this.units === "mm" ? `${(-1000 * y).toFixed(0)}, ${(1000 * x).toFixed(0)} mm` : `${x.toFixed(3)}, ${y.toFixed(3)} m`;
    },

    tellCamera() {
      clearTimeout(this.cameraTimer);
      this.cameraTimer = setTimeout(() => this.$emit("camera", { x: this.view.x, y: this.view.y, scale: this.view.scale, fits: Boolean(this.fits) }), 300);
    },
  },
};
