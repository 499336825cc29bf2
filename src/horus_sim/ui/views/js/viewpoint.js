// Cameras: orbit around a point, follow a robot, and from above without perspective.

import { OrbitControls, THREE } from "nicegui-scene";

const TOP_HALF = 5;

export class Viewpoint {
  constructor(canvas, onChange) {
    this.perspective = new THREE.PerspectiveCamera(50, 1, 0.1, 1000);
    this.orthographic = new THREE.OrthographicCamera(-5, 5, 5, -5, -500, 1000);
    for (const camera of [this.perspective, this.orthographic]) camera.up.set(0, 0, 1);
    this.perspective.position.set(-1.6, -2.2, 1.6);
    this.mode = "orbit";
    this.camera = this.perspective;
    this.aspect = 1;
    this.orbit = new OrbitControls(this.perspective, canvas);
    this.orbit.maxPolarAngle = Math.PI / 2 - 0.01;
    this.orbit.minDistance = 0.1;
    this.orbit.maxDistance = 200;
    this.top = new OrbitControls(this.orthographic, canvas);
    this.top.enableRotate = false;
    this.top.screenSpacePanning = true;
    this.top.mouseButtons.LEFT = THREE.MOUSE.PAN;
    this.top.touches.ONE = THREE.TOUCH.PAN;
    this.top.enabled = false;
    for (const controls of [this.orbit, this.top]) controls.addEventListener("change", onChange);
    this.previous = new THREE.Vector3();
    this.canvas = canvas;
    this.raycaster = new THREE.Raycaster();
  }

  /** The ray through the pixel of a pointer's event. */
  aim(event) {
    const box = this.canvas.getBoundingClientRect();
    const pointer = new THREE.Vector2(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
    this.raycaster.setFromCamera(pointer, this.camera);
    return this.raycaster;
  }

  get controls() {
    return this.mode === "top" ? this.top : this.orbit;
  }

  setEnabled(enabled) {
    this.controls.enabled = enabled;
  }

  setMode(mode, target) {
    this.mode = mode;
    this.orbit.enabled = mode !== "top";
    this.top.enabled = mode === "top";
    this.camera = mode === "top" ? this.orthographic : this.perspective;
    if (target) {
      this.previous.copy(target);
      this.orbit.target.copy(target);
    }
    if (mode === "follow" && target && this.perspective.position.distanceTo(target) > 4) {
      this.perspective.position.copy(target).add(new THREE.Vector3(-1.3, -1.1, 0.9));
    }
    if (mode === "top") this.lookDown(target || this.orbit.target);
    this.controls.update();
  }

  lookDown(target) {
    this.top.target.copy(target).setZ(0);
    this.orthographic.position.set(target.x, target.y, 100);
    // Straight down has no defined up with z up: x to the right, y to the top.
    this.orthographic.up.set(0, 1, 0);
    this.top.object.up.set(0, 1, 0);
    this.orthographic.lookAt(target.x, target.y, 0);
  }

  /** Frames what there is, from the front left. */
  frame(center, extent) {
    const distance = Math.min(Math.max(1.6 * extent, 1.5), 25);
    this.orbit.target.copy(center);
    this.perspective.position.copy(center).add(new THREE.Vector3(-0.82, -0.52, 0.44).multiplyScalar(distance));
    this.orbit.update();
  }

  /** Sees a square about the origin as a whole, from above and in front. */
  overlook(half) {
    const narrow = Math.min(1, this.aspect);
    this.orbit.target.set(0, 0, 0);
    this.perspective.position.set(0, -1.6, 1.85).multiplyScalar(half / narrow);
    this.orthographic.zoom = TOP_HALF / (1.1 * half / narrow);
    this.orthographic.updateProjectionMatrix();
    this.orbit.update();
  }

  /** Moves along with what is followed. */
  track(target) {
    if (this.mode !== "follow" || !target) return;
    const shift = target.clone().sub(this.previous);
    this.previous.copy(target);
    this.perspective.position.add(shift);
    this.orbit.target.add(shift);
    this.orbit.update();
  }

  resize(width, height) {
    this.aspect = width / Math.max(height, 1);
    this.perspective.aspect = this.aspect;
    this.perspective.updateProjectionMatrix();
    const half = TOP_HALF;
    Object.assign(this.orthographic, { left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half });
    this.orthographic.updateProjectionMatrix();
  }

  dispose() {
    this.orbit.dispose();
    this.top.dispose();
  }
}
