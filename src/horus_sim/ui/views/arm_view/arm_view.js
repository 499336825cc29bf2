// An arm in 3D: draws what the stream brings, and tells where the target is dragged.

import { THREE } from "nicegui-scene";
import { BACKGROUND, KIND } from "horus-view/constants.js";
import { COARSE, threeBase } from "horus-view/three_base.js";
import { ArmModel } from "horus-arm/arm_model.js";
import { Cloud, Ellipsoid, Floor, Path } from "horus-arm/overlays.js";
import { Target } from "horus-arm/target.js";

const LOW_FRAME_MS = 33;
const SETTLED_MS = 500;
const FINE = 1.5;
const RADIANS = Math.PI / 180;
const FLAGS = 5;

export default {
  mixins: [threeBase],
  template: `
    <div class="horus-view" @dragover.prevent @drop.prevent="drop">
      <canvas ref="canvas" tabindex="0" role="img" aria-label="Arm"></canvas>
      <div ref="labels" class="horus-labels" aria-hidden="true"></div>
      <div v-show="!isConnected" class="horus-lost" role="alert">Connection lost; trying again</div>
    </div>`,
  props: {
    channel: { type: String, required: true },
    arm: { type: Object, default: null },
    shown: { type: Array, default: () => [] },
    turn: { type: Array, default: () => [0, 0, 0] },
    handles: { type: String, default: "move" },
    note: { type: String, default: "" },
  },

  mounted() {
    this.setUp();
    this.connect({
      [this.channel]: this.takeFrame,
      [`${this.channel}_cloud`]: (frame) => this.takePoints(this.cloud, frame),
      [`${this.channel}_path`]: (frame) => this.takePoints(this.path, frame),
    });
    if (this.arm) this.adopt();
    this.animate();
  },

  watch: {
    arm() { this.adopt(); },
    shown() { this.applyShown(); },
    turn() { this.applyTurn(); },
    handles() { this.target.setMode(this.handles); this.needsDraw = true; },
    note() { this.target.setNote(this.note); this.needsDraw = true; },
    "$q.dark.isActive"(dark) {
      this.environment.setDark(dark);
      this.floor.setDark(dark);
      this.needsDraw = true;
    },
  },

  methods: {
    setUp() {
      this.setUpScene({ dark: this.$q.dark.isActive });
      // All that turns with the sliders; the sky and the light stay.
      this.pivot = new THREE.Group();
      this.stage = new THREE.Group();
      this.pivot.add(this.stage);
      this.world.add(this.pivot);
      this.viewpoint.perspective.near = 0.01;
      this.floor = new Floor(this.stage, this.$q.dark.isActive, this.low);
      this.cloud = new Cloud(this.stage);
      this.path = new Path(this.stage);
      this.ellipsoid = new Ellipsoid(this.stage);
      this.target = new Target(this.stage, this.sendTarget, this.endTarget);
      this.target.setMode(this.handles);
      this.target.setNote(this.note);
      this.watchSize();
    },

    adopt() {
      // Any change of a property brings all of them again.
      if (this.model?.arm.number === this.arm.number) return;
      this.model?.dispose();
      this.model = new ArmModel(JSON.parse(JSON.stringify(this.arm)), { low: this.low });
      this.stage.add(this.model.root);
      const { reach, base, number } = this.arm;
      this.environment.load({
        background: BACKGROUND,
        center: base,
        extent: reach,
        lights: [{ kind: KIND.light.directional, diffuse: [0.75, 0.75, 0.75], dir: [-0.5, 0.75, -1] }, { kind: KIND.light.directional, diffuse: [0.3, 0.32, 0.36], dir: [0.9, -0.4, -0.5] }],
      });
      this.environment.grid.visible = false;
      this.floor.setReach(reach, base);
      this.target.setReach(reach, this.arm.radius);
      this.ellipsoid.setReach(reach);
      this.cloud.clear(reach);
      this.path.clear();
      if (this.frame?.number !== number) this.frame = null;
      this.resetCamera();
      this.applyTurn();
      this.applyShown();
      this.$el.dataset.arm = this.arm.name;
      this.$el.dataset.number = number;
    },

    resetCamera() {
      if (!this.arm) return;
      const { reach, base } = this.arm;
      const center = new THREE.Vector3(base[0], base[1], base[2] + 0.28 * reach);
      const narrow = Math.max(1, 0.9 / this.viewpoint.aspect);
      const way = new THREE.Vector3(0.78, -1.35, 0.62).multiplyScalar(0.86 * reach * narrow);
      this.viewpoint.orbit.target.copy(center);
      this.viewpoint.orbit.minDistance = 0.1 * reach;
      this.viewpoint.orbit.maxDistance = 30 * reach;
      this.viewpoint.perspective.position.copy(center).add(way);
      this.viewpoint.orbit.update();
      this.needsDraw = true;
    },

    applyTurn() {
      if (!this.arm) return;
      // About the fixed axes, x first, through the middle of the arm.
      const [rx, ry, rz] = this.turn.map((angle) => angle * RADIANS);
      const { reach, base } = this.arm;
      const center = new THREE.Vector3(base[0], base[1], base[2] + 0.3 * reach);
      this.pivot.position.copy(center);
      this.stage.position.copy(center).negate();
      this.pivot.rotation.set(rx, ry, rz, "ZYX");
      this.$el.dataset.turn = this.turn.join(",");
      this.needsDraw = true;
    },

    applyShown() {
      const has = (name) => this.shown.includes(name);
      this.model?.showArcs(has("arcs"));
      this.model?.showFrames(has("frames"));
      this.cloud.show(has("cloud"));
      this.path.show(has("path"));
      this.ellipsoid.show(has("ellipsoid"));
      this.target.show(has("target"));
      this.needsDraw = true;
    },

    takeFrame({ number, values }) {
      this.frame = { number, values };
      this.needsDraw = true;
    },

    /** Takes points of the arm that is shown. */
    takePoints(overlay, { number, values }) {
      if (number !== this.arm?.number) return;
      overlay.set(values);
      this.needsDraw = true;
    },

    applyFrame() {
      const { number, values } = this.frame;
      if (!this.model || number !== this.arm.number) return;
      this.frame = null;
      const dof = values[0];
      let at = FLAGS;
      const take = (count) => values.subarray(at, (at += count));
      const q = take(dof);
      const poses = take(16 * (dof + 1));
      const target = take(16);
      const axes = take(9);
      this.model.set(q, poses);
      this.target.set(target, this.model.tool, { isOut: values[1] > 0, isPose: values[2] > 0 });
      this.ellipsoid.set(axes, this.model.tool.position);
      this.keepInView();
      this.$el.dataset.tool = this.model.tool.position.toArray().map((v) => v.toFixed(4)).join(",");
    },

    // A target that is put out of the picture is looked for; one that is dragged is not.
    keepInView() {
      const at = this.target.body.position.toArray().join();
      if (at === this.seenAt || this.target.isDragged || !this.target.isOut) return;
      this.seenAt = at;
      this.pivot.updateMatrixWorld(true);
      const { perspective: camera, orbit } = this.viewpoint;
      const place = this.target.body.getWorldPosition(new THREE.Vector3());
      for (let i = 0; i < 12; i++) {
        camera.updateMatrixWorld();
        const { x, y, z } = place.clone().project(camera);
        if (Math.max(Math.abs(x), Math.abs(y)) < 0.85 && z < 1) break;
        camera.position.sub(orbit.target).multiplyScalar(1.15).add(orbit.target);
        orbit.update();
      }
    },

    tick(now) {
      if (this.isEarly(now, LOW_FRAME_MS)) return;
      if (this.frame) this.applyFrame();
      this.connection.acknowledge();
      const settles = this.low && this.fineness === COARSE && now - (this.drawnAt ?? now) > SETTLED_MS;
      if (!this.needsDraw && !settles) return;
      // Software rendering is coarse while something moves, and fine when all is still.
      if (this.low && this.size) this.setFineness(settles ? FINE : COARSE);
      this.pivot.updateMatrixWorld(true);
      this.target.place(this.viewpoint.camera);
      this.renderScene(now);
      this.renderLabels();
      this.tell();
    },

    // Where the target is on the screen, for those who cannot see it.
    tell() {
      const at = this.target.body.getWorldPosition(new THREE.Vector3()).project(this.viewpoint.camera);
      const { clientWidth: width, clientHeight: height } = this.$el;
      this.$el.dataset.target = `${Math.round(((at.x + 1) * width) / 2)},${Math.round(((1 - at.y) * height) / 2)}`;
    },

    pointerDown(event) {
      this.$refs.canvas.focus({ preventScroll: true });
      if (event.button === 0 && this.target.grab(this.viewpoint.aim(event), this.viewpoint.camera)) this.capture(event);
    },

    pointerMove(event) {
      if (this.target.isDragged) {
        this.target.pull(this.viewpoint.aim(event));
        this.needsDraw = true;
      } else if (event.buttons === 0) {
        this.$refs.canvas.style.cursor = this.target.isUnder(this.viewpoint.aim(event)) ? "grab" : "";
      }
    },

    pointerUp() {
      if (!this.target.isDragged) return;
      this.target.release();
      this.viewpoint.setEnabled(true);
    },

    pointerCancel() {
      this.pointerUp();
    },

    sendTarget(position, quaternion) {
      this.connection.sendSoon({ arm_target: this.channel, xyz: position.toArray(), quat: quaternion.toArray() });
    },

    endTarget() {
      this.connection.flush();
    },
  },
};
