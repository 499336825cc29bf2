// Where the tool shall be: a marker to drag, with handles; a ghost where it cannot be reached.

import { CSS2DObject, THREE } from "nicegui-scene";
import { Gizmo } from "horus-view/gizmo.js";

const GOOD = 0x2b8a3e;
const OUT = 0xae3ec9;
const DASHES = 16;
const UP = new THREE.Vector3(0, 1, 0);

// The handles are in the stage, which the sliders turn: rays must be, too.
class StageGizmo extends Gizmo {
  constructor(stage, onMove, onEnd) {
    super(stage, onMove, onEnd);
    this.stage = stage;
  }

  measure(ray) {
    return super.measure(ray.clone().applyMatrix4(this.stage.matrixWorld.clone().invert()));
  }
}

export class Target {
  /** @param onMove Gets a position and a quaternion in the world; @param onEnd is called at the end of a drag. */
  constructor(stage, onMove, onEnd) {
    this.stage = stage;
    this.onMove = onMove;
    this.onEnd = onEnd;
    this.body = new THREE.Group();
    this.material = new THREE.MeshLambertMaterial({ color: GOOD, transparent: true, opacity: 0.75 });
    this.ball = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), this.material);
    this.ring = new THREE.Mesh(
      new THREE.TorusGeometry(1.7, 0.09, 8, 48),
      new THREE.MeshBasicMaterial({ color: GOOD, transparent: true, opacity: 0.9 }),
    );
    this.axes = new THREE.AxesHelper(3);
    this.body.add(this.ball, this.ring, this.axes);
    stage.add(this.body);
    const dash = new THREE.CylinderGeometry(1, 1, 1, 8);
    this.line = new THREE.InstancedMesh(dash, new THREE.MeshBasicMaterial({ color: OUT, depthTest: false }), DASHES);
    this.line.frustumCulled = false;
    this.line.renderOrder = 6;
    stage.add(this.line);
    this.label = document.createElement("div");
    this.label.className = "horus-arm-note";
    this.labelObject = new CSS2DObject(this.label);
    this.labelObject.center.set(0.5, -1.3);
    this.body.add(this.labelObject);
    this.gizmo = new StageGizmo(stage, this.move, () => {});
    this.isShown = true;
    this.plane = null;
  }

  get isDragged() {
    return Boolean(this.gizmo.drag || this.plane);
  }

  setReach(reach, radius) {
    this.reach = reach;
    this.body.scale.setScalar(0.85 * radius);
  }

  setMode(mode) {
    this.gizmo.setMode(mode);
  }

  setNote(text) {
    this.label.textContent = text;
  }

  show(shown) {
    this.isShown = shown;
  }

  set(values, tool, { isOut, isPose }) {
    this.isOut = isOut;
    this.isPose = isPose;
    this.tool = tool.position;
    if (!this.isDragged) {
      const matrix = new THREE.Matrix4().set(...values);
      matrix.decompose(this.body.position, this.body.quaternion, new THREE.Vector3());
    }
    this.gap = this.tool.distanceTo(this.body.position);
  }

  /** Before each drawing. */
  place(camera) {
    const isVisible = this.isShown || this.isOut;
    this.body.visible = isVisible;
    this.axes.visible = Boolean(this.isPose);
    // At the target, the red marker of the tool is what is seen.
    this.ball.visible = this.isOut || (this.gap ?? 0) > this.body.scale.x;
    this.material.color.set(this.isOut ? OUT : GOOD);
    this.material.opacity = this.isOut ? 0.4 : 0.75;
    this.ring.material.color.set(this.isOut ? OUT : GOOD);
    this.labelObject.visible = Boolean(this.isOut);
    // Towards the middle of the picture, so that it is not cut off.
    const { x } = this.body.getWorldPosition(new THREE.Vector3()).project(camera);
    this.labelObject.center.x = Math.min(Math.max(0.5 + 0.55 * x, 0), 1);
    this.line.visible = Boolean(this.isOut && this.tool);
    if (this.line.visible) this.dash();
    const facing = this.stage.getWorldQuaternion(new THREE.Quaternion()).invert().multiply(camera.quaternion);
    this.ring.quaternion.copy(this.body.quaternion).invert().multiply(facing);
    if (!this.gizmo.drag) {
      this.gizmo.place(this.isShown ? this.body : null, camera);
      this.gizmo.group.scale.multiplyScalar(0.75 * Math.min(1, camera.aspect ?? 1));
    }
    else this.gizmo.group.position.copy(this.body.position);
  }

  // What is left between tool and target.
  dash() {
    const way = this.body.position.clone().sub(this.tool);
    const length = way.length();
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, way.clone().normalize());
    const size = new THREE.Vector3(0.14 * this.body.scale.x, (0.55 * length) / DASHES, 0.14 * this.body.scale.x);
    for (let i = 0; i < DASHES; i++) {
      const middle = this.tool.clone().addScaledVector(way, (i + 0.5) / DASHES);
      this.line.setMatrixAt(i, new THREE.Matrix4().compose(middle, turn, size));
    }
    this.line.instanceMatrix.needsUpdate = true;
  }

  isUnder(raycaster) {
    if (!this.isShown) return false;
    const handles = this.gizmo.group.visible ? this.gizmo.handles.filter((handle) => handle.visible) : [];
    return raycaster.intersectObjects([this.ball, ...handles], false).length > 0;
  }

  /** Takes hold of the marker, in the plane of the screen, or of a handle. */
  grab(raycaster, camera) {
    if (!this.isShown) return false;
    const [hit] = raycaster.intersectObject(this.ball, false);
    if (hit) {
      const center = this.body.getWorldPosition(new THREE.Vector3());
      const normal = camera.getWorldDirection(new THREE.Vector3());
      this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point);
      this.offset = center.sub(hit.point);
      return true;
    }
    return this.gizmo.grab(raycaster);
  }

  pull(raycaster) {
    if (!this.plane) {
      this.gizmo.pull(raycaster);
      return;
    }
    const point = raycaster.ray.intersectPlane(this.plane, new THREE.Vector3());
    if (!point) return;
    this.move(this.stage.worldToLocal(point.add(this.offset)), this.body.quaternion);
  }

  move = (position, quaternion) => {
    const most = 3 * this.reach;
    this.body.position.copy(position).clampLength(0, most);
    this.body.quaternion.copy(quaternion);
    this.onMove(this.body.position, this.body.quaternion);
  };

  release() {
    this.plane = null;
    this.gizmo.release();
    this.onEnd();
  }
}
