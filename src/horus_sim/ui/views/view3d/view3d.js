// A world in 3D: draws what the stream brings, and tells what the user does.

import { THREE } from "nicegui-scene";
import { Gizmo } from "horus-view/gizmo.js";
import { threeBase } from "horus-view/three_base.js";
import { decodeScene, Model } from "horus-view3d/model.js";
import { spreadLabels } from "horus-view3d/overlays.js";
import { TiledModel } from "horus-view3d/tiles.js";
import { Teleop } from "horus-view3d/teleop.js";

const CLICK_PIXELS = 5;
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
  mixins: [threeBase],
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
    modeOptions: { type: Object, default: () => ({}) },
    selected: { type: String, default: "" },
    gizmo: { type: String, default: "move" },
    robot: { type: String, default: "" },
    follows: { type: String, default: "" },
    speeds: { type: Array, default: () => [0.2, 1.0, 0.5] },
    dark: { type: Boolean, default: false },
    pictures: { type: Boolean, default: false },
    quality: { type: String, default: "auto" },
  },
  data: () => ({ drives: false }),

  mounted() {
    this.setUp();
    this.connect({});
    if (this.robot) this.setUpTeleop();
    this.drives = Boolean(this.robot);
    this.applyModes();
    this.animate();
  },

  beforeUnmount() {
    this.teleop?.dispose();
    this.model?.dispose();
  },

  watch: {
    camera() { this.applyCamera(); },
    follows() { this.applyCamera(); },
    modes() { this.applyModes(); },
    modeOptions() {
      for (const overlay of Object.values(this.overlays)) overlay?.configure?.();
      this.listen();
    },
    selected() { this.needsDraw = true; },
    gizmo() { this.handles.setMode(this.gizmo); this.needsDraw = true; },
    dark() {
      this.environment.setDark(this.dark);
      this.model?.setDark?.(this.dark);
      this.needsDraw = true;
    },
    pictures() { this.listen(); },
    robot() {
      this.drives = Boolean(this.robot);
      if (this.robot && !this.teleop) this.setUpTeleop();
    },
  },

  methods: {
    setUp() {
      this.setUpScene({ dark: this.dark, quality: this.quality, exposure: 1.15 });
      if (!this.source) this.environment.addGrid(GRID_EXTENT);
      this.handles = new Gizmo(this.world, this.sendMove, () => this.endMove());
      this.handles.setMode(this.gizmo);
      this.outline = new THREE.Box3Helper(new THREE.Box3(), 0xffd60a);
      this.outline.visible = false;
      this.world.add(this.outline);
      this.overlays = {};
      this.stats = freshStats();
      this.watchSize();
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

    /** Shows the modes; the script of one is loaded when it is first wanted. */
    applyModes() {
      for (const name of this.modes) if (!(name in this.overlays)) this.loadMode(name);
      for (const [name, overlay] of Object.entries(this.overlays)) overlay?.show(this.modes.includes(name));
      this.listen();
      this.needsDraw = true;
    },

    async loadMode(name) {
      this.overlays[name] = null;
      const { default: Mode } = await import(`horus-view3d/modes/${name}.js`);
      if (this.isGone) return;
      this.overlays[name] = new Mode(this);
      this.applyModes();
    },

    shownOverlays() {
      return this.modes.map((name) => this.overlays[name]).filter(Boolean);
    },

    listen() {
      const listeners = this.pictures ? { image: this.showImage } : {};
      if (this.source) listeners[this.tiles || "poses"] = this.takePoses;
      for (const overlay of this.shownOverlays()) Object.assign(listeners, overlay.listeners?.());
      this.connection.listen(listeners);
    },

    applyCamera() {
      const body = this.model?.rootOf(this.follows);
      this.model?.mark?.(this.follows);
      // An environment that is marked is no reason to look elsewhere.
      const isStill = this.tiles && this.camera !== "follow";
      this.viewpoint.setMode(this.camera, isStill ? undefined : body?.position);
      this.needsDraw = true;
    },

    takePoses({ number, values }) {
      if (number !== this.revision) this.load(number);
      if (this.latest && !this.recorder && isSame(this.latest, { number, values })) return;
      this.latest = { number, values };
      this.needsDraw = true;
    },

    showImage(message) {
      const target = document.querySelector(`[data-camera="${message.number}"]`);
      if (!target) return;
      const url = URL.createObjectURL(new Blob([message.bytes]));
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
      const onTexture = () => { this.needsDraw = true; };
      this.model = new (scene.tiles ? TiledModel : Model)(scene, { shadows: !this.low, onTexture });
      this.model.setDark?.(this.dark);
      this.world.add(this.model.root);
      this.environment.load(scene);
      this.revision = scene.revision;
      this.loading = undefined;
      for (const overlay of Object.values(this.overlays)) overlay?.adopt?.();
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
      for (const overlay of this.shownOverlays()) overlay.place?.(this.model);
      this.viewpoint.track(this.model.rootOf(this.follows)?.position);
    },

    tick(now) {
      if (this.isEarly(now, LOW_FRAME_MS)) return;
      if (this.model && this.latest && !this.latest.isApplied) this.applyPoses();
      this.connection.acknowledge();
      if (!this.needsDraw) return;
      this.drawSelection();
      this.renderScene(now);
      const labels = this.shownOverlays().flatMap((overlay) => overlay.labels ?? []);
      spreadLabels(labels, this.viewpoint.camera, this.$el.clientWidth, this.$el.clientHeight);
      this.renderLabels();
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
      if (event.button === 0 && this.handles.grab(this.viewpoint.aim(event))) this.capture(event);
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

    pointerCancel() {
      this.handles.release();
    },

    sendMove(position, quaternion) {
      this.connection.sendSoon({ move: this.selected, xyz: position.toArray(), quat: quaternion.toArray() });
    },

    endMove() {
      this.connection.flush();
      this.connection.send({ moved: this.selected });
      this.$emit("moved");
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
