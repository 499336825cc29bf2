// A world in 3D: draws what the stream brings, and tells what the user does.

import { CSS2DRenderer, THREE } from "nicegui-scene";
import { Connection, KIND } from "horus-view3d/connection.js";
import { Environment } from "horus-view3d/environment.js";
import { Gizmo } from "horus-view3d/gizmo.js";
import { decodeScene, Model } from "horus-view3d/model.js";
import { FramesOverlay, PhysicsOverlay, spreadLabels } from "horus-view3d/overlays.js";
import { SensorsOverlay } from "horus-view3d/sensors.js";
import { TiledModel } from "horus-view3d/tiles.js";
import { Teleop } from "horus-view3d/teleop.js";
import { Viewpoint } from "horus-view3d/viewpoint.js";

const CLICK_PIXELS = 5;
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;
const LOW_FRAME_MS = 50;
const REPORT_MS = 1000;
const GRID_EXTENT = 10;
const STILL_MS = 500;
// Less than this is not seen: metres, parts of a unit quaternion.
const SEEN = 1e-5;

const freshStats = () => ({ frames: 0, ms: 0, since: performance.now(), at: performance.now() });

/** Whether poses are those that were drawn, so that a world at rest costs nothing. */
function isSame(drawn, found) {
  if (drawn.number !== found.number || drawn.values.length !== found.values.length) return false;
  return found.values.every((value, i) => Math.abs(value - drawn.values[i]) < SEEN);
}

export default {
  template: `
    <div class="horus-view" @dragover.prevent="isOver = Boolean(uploader)" @dragleave="isOver = false"
         @drop.prevent="drop">
      <canvas ref="canvas" tabindex="0" role="img" aria-label="3D view"></canvas>
      <div ref="labels" class="horus-labels" aria-hidden="true"></div>
      <div v-show="drives" ref="pad" class="horus-pad" role="application" aria-label="Joystick"
           data-testid="joystick"><div ref="knob" class="horus-knob"></div></div>
      <div v-show="!isConnected" class="horus-lost" role="alert">Connection lost; trying again</div>
      <div v-show="isOver" class="horus-drop">Drop a robot or a scene</div>
    </div>`,
  props: {
    source: { type: String, default: "" },
    tiles: { type: String, default: "" },
    camera: { type: String, default: "orbit" },
    modes: { type: Array, default: () => [] },
    frameFilter: { type: Object, default: () => ({ kind: "all", text: "" }) },
    selected: { type: String, default: "" },
    gizmo: { type: String, default: "move" },
    robot: { type: String, default: "" },
    follows: { type: String, default: "" },
    speeds: { type: Array, default: () => [0.2, 1.0, 0.5] },
    dark: { type: Boolean, default: false },
    uploader: { type: Number, default: 0 },
    channels: { type: Array, default: () => [] },
    framesFrom: { type: String, default: "tf" },
    quality: { type: String, default: "auto" },
  },
  data: () => ({ isConnected: true, drives: false, isOver: false }),

  mounted() {
    this.setUpRenderer();
    this.connection = new Connection(this.onBinary, this.onText, (isOpen) => {
      this.isConnected = isOpen;
    });
    this.connection.names[KIND.TRANSFORMS] = this.framesFrom;
    this.connection.names[KIND.TILES] = this.tiles;
    if (this.robot) this.setUpTeleop();
    this.drives = Boolean(this.robot);
    this.applyModes();
    this.animate();
  },

  beforeUnmount() {
    cancelAnimationFrame(this.handle);
    this.observer.disconnect();
    this.teleop?.dispose();
    this.connection.close();
    this.viewpoint.dispose();
    this.model?.dispose();
    this.renderer.dispose();
  },

  watch: {
    camera() { this.applyCamera(); },
    follows() { this.applyCamera(); },
    modes() { this.applyModes(); },
    frameFilter() { this.frames.filter = this.frameFilter; this.drawFrames(); },
    selected() { this.needsDraw = true; },
    gizmo() { this.handles.setMode(this.gizmo); this.needsDraw = true; },
    dark() {
      this.environment.setDark(this.dark);
      this.model?.setDark?.(this.dark);
      this.needsDraw = true;
    },
    channels() { this.applyModes(); },
    framesFrom() {
      this.frames.setLayout({ number: -1, names: [], parents: [], groups: [] });
      this.framePoses = null;
      this.isFramed = false;
      this.connection.names[KIND.TRANSFORMS] = this.framesFrom;
      this.applyModes();
    },
    robot() {
      this.drives = Boolean(this.robot);
      if (this.robot && !this.teleop) this.setUpTeleop();
    },
  },

  methods: {
    setUpRenderer() {
      const canvas = this.$refs.canvas;
      const probe = document.createElement("canvas").getContext("webgl2");
      const info = probe?.getExtension("WEBGL_debug_renderer_info");
      const name = info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
      probe?.getExtension("WEBGL_lose_context")?.loseContext();
      this.low = this.quality === "auto" ? !probe || SOFTWARE.test(name) : this.quality === "low";
      this.$refs.canvas.dataset.quality = this.low ? "low" : "high";
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.low, preserveDrawingBuffer: false });
      this.renderer.shadowMap.enabled = !this.low;
      this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
      this.renderer.toneMapping = THREE.NeutralToneMapping;
      this.renderer.toneMappingExposure = 1.15;
      this.labelRenderer = new CSS2DRenderer({ element: this.$refs.labels });
      this.world = new THREE.Scene();
      this.environment = new Environment(this.world, this.dark, this.low);
      if (!this.source) this.environment.addGrid(GRID_EXTENT);
      this.viewpoint = new Viewpoint(canvas, () => { this.needsDraw = true; });
      this.frames = new FramesOverlay(this.world);
      this.physics = new PhysicsOverlay(this.world);
      this.sensors = new SensorsOverlay(this.world);
      this.handles = new Gizmo(this.world, this.sendMove, () => this.endMove());
      this.handles.setMode(this.gizmo);
      this.outline = new THREE.Box3Helper(new THREE.Box3(), 0xffd60a);
      this.outline.visible = false;
      this.world.add(this.outline);
      this.frames.filter = this.frameFilter;
      this.observer = new ResizeObserver(() => this.resize());
      this.observer.observe(this.$el);
      this.resize();
      canvas.addEventListener("pointerdown", this.pointerDown, { capture: true });
      canvas.addEventListener("pointermove", this.pointerMove);
      canvas.addEventListener("pointerup", this.pointerUp);
      canvas.addEventListener("pointercancel", () => this.handles.release());
      this.stats = freshStats();
    },

    setUpTeleop() {
      this.teleop = new Teleop(this.$refs.pad, this.$refs.knob, (wish) => {
        if (!wish) this.connection.send({ release: true });
        else {
          const [linear, angular, vertical] = wish.map((share, i) => share * this.speeds[i]);
          this.connection.send({ drive: this.robot, linear, angular, vertical });
        }
      });
    },

    resize() {
      const { clientWidth: width, clientHeight: height } = this.$el;
      if (!width || !height) return;
      this.renderer.setPixelRatio(this.low ? 0.75 : Math.min(window.devicePixelRatio, 2));
      this.renderer.setSize(width, height, false);
      this.labelRenderer.setSize(width, height);
      this.viewpoint.resize(width, height);
      this.needsDraw = true;
    },

    applyModes() {
      const has = (mode) => this.modes.includes(mode);
      this.model?.showCollisions(has("collision"));
      if (this.model && has("sensors")) this.sensors.place(this.model);
      this.frames.show(has("tf"));
      this.physics.show(has("physics"));
      this.sensors.show(has("sensors"));
      const wanted = [...this.channels];
      if (this.source) wanted.push(this.tiles || "poses");
      if (has("tf")) wanted.push(this.framesFrom, `${this.framesFrom}_layout`);
      if (has("physics")) wanted.push("physics");
      if (has("sensors")) wanted.push("cloud");
      this.connection.want(wanted);
      this.needsDraw = true;
    },

    applyCamera() {
      const body = this.model?.rootOf(this.follows);
      this.model?.mark?.(this.follows);
      // An environment that is marked is no reason to look elsewhere.
      const isStill = this.tiles && this.camera !== "follow";
      this.viewpoint.setMode(this.camera, isStill ? undefined : body?.position);
      this.needsDraw = true;
    },

    onText(message) {
      if (message.channel === `${this.framesFrom}_layout`) {
        this.frames.setLayout(message);
        this.drawFrames();
      }
    },

    onBinary(message) {
      const values = () => new Float32Array(message.data, message.offset);
      if (message.kind === KIND.POSES || message.kind === KIND.TILES) {
        if (message.number !== this.revision) this.load(message.number);
        const found = { number: message.number, values: values() };
        if (this.latest && !this.recorder && isSame(this.latest, found)) return;
        this.latest = found;
      } else if (message.kind === KIND.PHYSICS && this.model) {
        const found = values();
        if (message.number === this.revision) this.physics.set(found, this.model);
      } else if (message.kind === KIND.CLOUD) this.sensors.setCloud(message.number, values());
      else if (message.kind === KIND.TRANSFORMS) {
        this.framePoses = { number: message.number, values: values() };
        this.drawFrames();
      } else if (message.kind === KIND.IMAGE) return this.showImage(message);
      this.needsDraw = true;
    },

    drawFrames() {
      if (this.framePoses) this.frames.setPoses(this.framePoses.number, this.framePoses.values);
      const bounds = !this.source && !this.isFramed && this.frames.bounds();
      if (bounds) {
        this.isFramed = true;
        this.viewpoint.frame(bounds.center, bounds.extent);
      }
      if (!this.modes.includes("tf")) this.frames.show(false);
      this.needsDraw = true;
    },

    showImage(message) {
      const target = document.querySelector(`[data-camera="${message.number}"]`);
      if (!target) return;
      const url = URL.createObjectURL(new Blob([new Uint8Array(message.data, message.offset)]));
      const before = target.src;
      target.src = url;
      if (before.startsWith("blob:")) URL.revokeObjectURL(before);
    },

    async load(number) {
      if (this.loading === number) return;
      this.loading = number;
      try {
        const answer = await fetch(`${this.source}?revision=${number}`);
        if (!answer.ok) throw new Error(`the scene answers ${answer.status}`);
        this.adopt(decodeScene(await answer.arrayBuffer()));
      } catch (error) {
        console.error("view3d:", error);
        // The next frame asks again.
        this.loading = undefined;
      }
    },

    adopt(scene) {
      const isFirst = !this.model || this.model.scene.name !== scene.name;
      this.model?.dispose();
      this.sensors.clear();
      const onTexture = () => { this.needsDraw = true; };
      this.model = new (scene.tiles ? TiledModel : Model)(scene, { shadows: !this.low, onTexture });
      this.model.setDark?.(this.dark);
      this.world.add(this.model.root);
      this.environment.load(scene);
      this.revision = scene.revision;
      this.loading = undefined;
      if (this.latest) this.applyPoses();
      const body = this.model.rootOf(this.follows) ?? this.model.firstRobot();
      if (isFirst && scene.tiles) this.viewpoint.overlook(scene.extent);
      else if (isFirst) this.viewpoint.frame(body?.position ?? new THREE.Vector3(...scene.center), body ? 1.1 : scene.extent);
      this.applyCamera();
      this.applyModes();
      this.$el.dataset.scene = scene.name;
      this.$el.dataset.revision = scene.revision;
    },

    applyPoses() {
      if (this.latest.number !== this.revision) return;
      this.model.setPoses(this.latest.values);
      this.latest.isApplied = true;
      if (this.modes.includes("sensors")) this.sensors.place(this.model);
      this.viewpoint.track(this.model.rootOf(this.follows)?.position);
    },

    animate() {
      this.handle = requestAnimationFrame(this.animate);
      const now = performance.now();
      if (this.low && now - (this.drawnAt ?? 0) < LOW_FRAME_MS) return;
      if (this.model && this.latest && !this.latest.isApplied) this.applyPoses();
      this.connection.acknowledge();
      if (!this.needsDraw) return;
      this.needsDraw = false;
      this.drawnAt = now;
      this.drawSelection();
      this.environment.follow(this.viewpoint.camera);
      this.renderer.render(this.world, this.viewpoint.camera);
      const labels = [...this.frames.labels, ...this.sensors.labels];
      spreadLabels(labels, this.viewpoint.camera, this.$el.clientWidth, this.$el.clientHeight);
      this.labelRenderer.render(this.world, this.viewpoint.camera);
      this.report(performance.now() - now);
    },

    drawSelection() {
      const body = this.selected && this.model?.rootOf(this.selected);
      if (!this.handles.drag || body) this.handles.place(body || null, this.viewpoint.camera);
      this.outline.visible = Boolean(body);
      if (body) this.outline.box.copy(this.model.boundsOf(this.selected));
    },

    report(ms) {
      // Nothing is drawn while nothing moves; that is no low rate.
      if (performance.now() - this.stats.at > STILL_MS) this.stats = freshStats();
      this.stats.at = performance.now();
      this.stats.frames += 1;
      this.stats.ms += ms;
      const passed = performance.now() - this.stats.since;
      if (passed < REPORT_MS) return;
      this.$emit("drawn", { fps: (1000 * this.stats.frames) / passed, ms: this.stats.ms / this.stats.frames, low: this.low });
      this.stats = freshStats();
    },

    pointerDown(event) {
      this.pressedAt = [event.clientX, event.clientY];
      this.$refs.canvas.focus({ preventScroll: true });
      if (event.button === 0 && this.handles.grab(this.viewpoint.aim(event))) {
        this.viewpoint.setEnabled(false);
        this.$refs.canvas.setPointerCapture(event.pointerId);
        event.stopImmediatePropagation();
      }
    },

    pointerMove(event) {
      if (!this.handles.drag) return;
      this.handles.pull(this.viewpoint.aim(event));
      this.needsDraw = true;
    },

    pointerUp(event) {
      if (this.handles.drag) {
        this.handles.release();
        this.viewpoint.setEnabled(true);
        return;
      }
      const [x, y] = this.pressedAt ?? [NaN, NaN];
      if (event.button !== 0 || Math.hypot(event.clientX - x, event.clientY - y) > CLICK_PIXELS || !this.model) return;
      this.$emit("pick", { name: this.model.pick(this.viewpoint.aim(event)) });
    },

    sendMove(position, quaternion) {
      this.connection.sendSoon({ move: this.selected, xyz: position.toArray(), quat: quaternion.toArray() });
    },

    endMove() {
      this.connection.flush();
      this.connection.send({ moved: this.selected });
      this.$emit("moved");
    },

    drop(event) {
      this.isOver = false;
      const files = [...event.dataTransfer.files];
      if (files.length && this.uploader) getElement(this.uploader).$refs.qRef.addFiles(files);
    },

    startVideo() {
      const stream = this.$refs.canvas.captureStream(30);
      this.recorder = new MediaRecorder(stream, { mimeType: "video/webm" });
      const parts = [];
      this.recorder.ondataavailable = (event) => parts.push(event.data);
      this.recorder.onstop = () => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob(parts, { type: "video/webm" }));
        link.download = `${this.model?.scene.name ?? "horus"}.webm`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      };
      this.recorder.start(500);
    },

    stopVideo() {
      this.recorder?.stop();
      this.recorder = null;
    },

    focus() {
      this.$refs.canvas.focus();
    },
  },
};
