// Handles on the selected thing: arrows move it along an axis, rings turn it about one.

import { THREE } from "nicegui-scene";

const AXES = [
  { name: "x", vector: new THREE.Vector3(1, 0, 0), color: 0xff3b30 },
  { name: "y", vector: new THREE.Vector3(0, 1, 0), color: 0x34c759 },
  { name: "z", vector: new THREE.Vector3(0, 0, 1), color: 0x3478f6 },
];
const SHARE_OF_VIEW = 0.14;

export class Gizmo {
  /** @param onMove Gets a position and a quaternion; @param onEnd is called when the handle is let go. */
  constructor(scene, onMove, onEnd) {
    this.group = new THREE.Group();
    this.group.visible = false;
    this.onMove = onMove;
    this.onEnd = onEnd;
    this.drag = null;
    this.handles = [];
    scene.add(this.group);
    for (const axis of AXES) {
      this.add(axis, "move", arrow());
      this.add(axis, "rotate", new THREE.TorusGeometry(0.75, 0.025, 8, 48).rotateX(Math.PI / 2));
    }
  }

  add(axis, kind, geometry) {
    const material = new THREE.MeshBasicMaterial({ color: axis.color, depthTest: false, transparent: true, opacity: 0.9 });
    const mesh = new THREE.Mesh(geometry, material);
    // The shapes are made along y.
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis.vector);
    mesh.renderOrder = 10;
    mesh.userData = { axis, kind };
    this.handles.push(mesh);
    this.group.add(mesh);
  }

  setMode(mode) {
    for (const handle of this.handles) handle.visible = handle.userData.kind === mode;
    this.mode = mode;
  }

  place(body, camera) {
    this.body = body;
    this.group.visible = Boolean(body) && (this.mode === "move" || this.mode === "rotate");
    if (!body) return;
    this.group.position.copy(body.position);
    const size = camera.isOrthographicCamera
      ? (camera.top - camera.bottom) / camera.zoom
      : 2 * camera.position.distanceTo(body.position) * Math.tan((camera.fov * Math.PI) / 360);
    this.group.scale.setScalar(Math.max(size * SHARE_OF_VIEW, 1e-3));
    this.group.updateMatrixWorld(true);
  }

  /** Takes hold of a handle under the ray; whether there is one. */
  grab(raycaster) {
    if (!this.group.visible) return false;
    const [hit] = raycaster.intersectObjects(this.handles.filter((handle) => handle.visible));
    if (!hit) return false;
    const { axis, kind } = hit.object.userData;
    this.drag = {
      axis: axis.vector,
      kind,
      position: this.body.position.clone(),
      quaternion: this.body.quaternion.clone(),
    };
    this.drag.start = this.measure(raycaster.ray);
    return true;
  }

  /** Where the ray is along the axis [m], or about it [rad]. */
  measure(ray) {
    const { axis, kind, position } = this.drag;
    if (kind === "move") {
      const between = ray.origin.clone().sub(position);
      const b = ray.direction.dot(axis), d = ray.direction.dot(between), e = axis.dot(between);
      const denominator = 1 - b * b;
      return denominator < 1e-6 ? null : (e - b * d) / denominator;
    }
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(axis, position);
    const point = ray.intersectPlane(plane, new THREE.Vector3());
    if (!point) return null;
    point.sub(position);
    const first = new THREE.Vector3(axis.y + axis.z, axis.z + axis.x, 0).cross(axis).normalize();
    const second = axis.clone().cross(first);
    return Math.atan2(point.dot(second), point.dot(first));
  }

  pull(raycaster) {
    const now = this.measure(raycaster.ray);
    const { start, axis, kind, position, quaternion } = this.drag;
    if (now === null || start === null) return;
    const target = { position: position.clone(), quaternion: quaternion.clone() };
    if (kind === "move") target.position.addScaledVector(axis, now - start);
    else target.quaternion.premultiply(new THREE.Quaternion().setFromAxisAngle(axis, now - start));
    this.onMove(target.position, target.quaternion);
  }

  release() {
    if (!this.drag) return;
    this.drag = null;
    this.onEnd();
  }
}

function arrow() {
  // One profile turned about y: a thin shaft and a tip.
  const profile = [[0, 0.08], [0.025, 0.08], [0.025, 0.78], [0.08, 0.78], [0, 1]];
  return new THREE.LatheGeometry(profile.map(([r, y]) => new THREE.Vector2(r, y)), 12);
}
