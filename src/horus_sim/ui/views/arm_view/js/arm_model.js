// The arm itself: links, joints with their ranges, the tool with its red marker.

import { THREE } from "nicegui-scene";

const LINK = 0xe9ecef;
const HOUSING = 0x4c8bd0;
const CAP = 0x46525f;
const RANGE = 0xff9500;
const MARK = 0xd9480f;
const TOOL = 0xff1f1f;
const ARC_STEPS = 96;
const UP = new THREE.Vector3(0, 1, 0);

export class ArmModel {
  constructor(arm, { low }) {
    this.arm = arm;
    this.shadows = !low;
    // Software rendering takes the cheaper light.
    this.Material = low ? THREE.MeshLambertMaterial : THREE.MeshStandardMaterial;
    this.root = new THREE.Group();
    this.disposables = [];
    this.link = this.material({ color: LINK, roughness: 0.45 });
    this.housing = this.material({ color: HOUSING, roughness: 0.4 });
    this.cap = this.material({ color: CAP, roughness: 0.6 });
    this.ranges = [];
    this.marks = [];
    this.frames = [];
    this.parts = arm.lines.map((lines, i) => this.addPart(lines, i === arm.lines.length - 1 ? 0.45 : 0.78));
    arm.joints.forEach((joint, i) => this.addJoint(joint, i));
    this.addPedestal();
    this.addTool();
  }

  keep(thing) {
    this.disposables.push(thing);
    return thing;
  }

  material(options) {
    const { roughness, ...rest } = options;
    return this.keep(new this.Material(this.shadows ? { ...rest, roughness } : rest));
  }

  mesh(geometry, material, parent) {
    const mesh = new THREE.Mesh(this.keep(geometry), material);
    mesh.castShadow = mesh.receiveShadow = this.shadows;
    parent.add(mesh);
    return mesh;
  }

  addPart(lines, thickness) {
    const part = new THREE.Group();
    part.matrixAutoUpdate = false;
    this.root.add(part);
    for (const [begin, end] of lines) {
      const from = new THREE.Vector3(...begin), to = new THREE.Vector3(...end);
      const length = from.distanceTo(to);
      const tube = this.mesh(new THREE.CapsuleGeometry(thickness * this.arm.radius, length, 8, 24), this.link, part);
      tube.position.copy(from).lerp(to, 0.5);
      tube.quaternion.setFromUnitVectors(UP, to.sub(from).normalize());
    }
    return part;
  }

  addJoint(joint, index) {
    const axis = new THREE.Group();
    axis.matrixAutoUpdate = false;
    axis.matrix.set(...joint.axis);
    this.parts[index].add(axis);
    const r = this.arm.radius;
    if (joint.slides) {
      this.mesh(new THREE.BoxGeometry(2.5 * r, 2.5 * r, 2.5 * r), this.housing, axis);
    } else {
      const body = this.mesh(new THREE.CylinderGeometry(1.28 * r, 1.28 * r, 2.7 * r, 32), this.housing, axis);
      body.rotation.x = Math.PI / 2;
      const cap = this.mesh(new THREE.CylinderGeometry(1.05 * r, 1.05 * r, 3.0 * r, 32), this.cap, axis);
      cap.rotation.x = Math.PI / 2;
    }
    this.addRange(joint, axis, index);
    const frame = new THREE.AxesHelper(3.2 * r);
    frame.material.depthTest = false;
    frame.renderOrder = 5;
    this.frames.push(frame);
    this.parts[index + 1].add(frame);
  }

  // In orange where the joint may go, with a mark where it is.
  addRange(joint, axis, index) {
    const group = new THREE.Group();
    axis.add(group);
    this.ranges.push(group);
    const r = this.arm.radius;
    const radius = (3.6 - 0.9 * (index / Math.max(this.arm.joints.length - 1, 1))) * r;
    const points = [];
    const { lower, upper, zero } = joint;
    for (let i = 0; i <= ARC_STEPS; i++) {
      const at = zero + lower + ((upper - lower) * i) / ARC_STEPS;
      points.push(joint.slides ? new THREE.Vector3(2.2 * r, 0, at) : around(at, radius));
    }
    const bright = this.keep(new THREE.MeshBasicMaterial({ color: RANGE, transparent: true, opacity: 0.95 }));
    const curve = new THREE.CatmullRomCurve3(points);
    group.add(new THREE.Mesh(this.keep(new THREE.TubeGeometry(curve, 2 * ARC_STEPS, 0.09 * r, 6)), bright));
    for (const end of joint.endless ? [] : [points[0], points[ARC_STEPS]]) {
      const stop = new THREE.Mesh(this.keep(new THREE.SphereGeometry(0.2 * r, 12, 8)), bright);
      stop.position.copy(end);
      group.add(stop);
    }
    if (!joint.slides) {
      const fan = this.keep(new THREE.MeshBasicMaterial({
        color: RANGE, transparent: true, opacity: 0.1, side: THREE.DoubleSide, depthWrite: false,
      }));
      const span = Math.min(upper - lower, 2 * Math.PI);
      group.add(new THREE.Mesh(this.keep(new THREE.RingGeometry(1.3 * r, radius, 64, 1, zero + lower, span)), fan));
    }
    const mark = new THREE.Group();
    const dark = this.keep(new THREE.MeshBasicMaterial({ color: MARK }));
    const ball = new THREE.Mesh(this.keep(new THREE.SphereGeometry(0.36 * r, 16, 12)), dark);
    mark.add(ball);
    if (joint.slides) ball.position.x = 2.2 * r;
    else {
      ball.position.x = radius;
      const needle = new THREE.Mesh(this.keep(new THREE.CylinderGeometry(0.07 * r, 0.07 * r, radius, 6)), dark);
      needle.rotation.z = Math.PI / 2;
      needle.position.x = radius / 2;
      mark.add(needle);
    }
    group.add(mark);
    this.marks.push(mark);
  }

  addPedestal() {
    const r = this.arm.radius;
    const [x, y, z] = this.arm.base;
    const plate = this.mesh(new THREE.CylinderGeometry(2.4 * r, 2.6 * r, 0.6 * r, 48), this.cap, this.root);
    plate.rotation.x = Math.PI / 2;
    plate.position.set(x, y, z - 0.3 * r);
    if (z > 0.6 * r) {
      const column = this.mesh(new THREE.CylinderGeometry(1.5 * r, 1.7 * r, z - 0.6 * r, 32), this.cap, this.root);
      column.rotation.x = Math.PI / 2;
      column.position.set(x, y, (z - 0.6 * r) / 2);
    }
  }

  addTool() {
    const r = this.arm.radius;
    this.tool = new THREE.Group();
    this.root.add(this.tool);
    // Seen through links, since it is what everybody looks for.
    const red = this.material({ color: TOOL, emissive: TOOL, emissiveIntensity: 0.45, roughness: 0.4, depthTest: false, transparent: true });
    this.mesh(new THREE.SphereGeometry(0.66 * r, 24, 16), red, this.tool).renderOrder = 8;
    const frame = new THREE.AxesHelper(3.2 * r);
    this.frames.push(frame);
    this.tool.add(frame);
  }

  set(q, poses) {
    const matrix = new THREE.Matrix4();
    const dof = q.length;
    for (let i = 0; i <= dof; i++) {
      matrix.set(...poses.subarray(16 * i, 16 * i + 16));
      if (i === dof) matrix.decompose(this.tool.position, this.tool.quaternion, new THREE.Vector3());
      else {
        this.parts[i + 1].matrix.copy(matrix);
        this.parts[i + 1].matrixWorldNeedsUpdate = true;
      }
    }
    this.arm.joints.forEach((joint, i) => {
      if (joint.slides) this.marks[i].position.z = joint.zero + q[i];
      else this.marks[i].rotation.z = joint.zero + q[i];
    });
  }

  showArcs(shown) {
    for (const range of this.ranges) range.visible = shown;
  }

  showFrames(shown) {
    for (const frame of this.frames) frame.visible = shown;
  }

  dispose() {
    this.root.removeFromParent();
    for (const thing of this.disposables) thing.dispose();
    for (const frame of this.frames) frame.dispose();
  }
}

function around(angle, radius) {
  return new THREE.Vector3(radius * Math.cos(angle), radius * Math.sin(angle), 0);
}
