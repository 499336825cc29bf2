// The view mode of physics: contact forces, velocities, centres of mass, axes of joints.

import { THREE } from "nicegui-scene";
import { KIND } from "horus-view/constants.js";
import { Lines, points, setAttribute } from "horus-view3d/overlays.js";

const METRES_PER_NEWTON = 0.02;
const LONGEST_FORCE = 1.0;

export default class PhysicsMode {
  constructor(view) {
    this.view = view;
    this.group = new THREE.Group();
    view.world.add(this.group);
    this.forces = new Lines(0xff2d55);
    this.velocities = new Lines(0x00c7be);
    this.axes = new Lines(0xaf52de);
    this.touches = points(0xff2d55, 6);
    this.centers = points(0xffd60a, 7);
    this.group.add(this.forces.object, this.velocities.object, this.axes.object, this.touches, this.centers);
  }

  listeners() {
    return {
      physics: ({ number, values }) => {
        if (this.view.model && number === this.view.revision) this.set(values, this.view.model);
      },
    };
  }

  set(values, model) {
    const count = values[0];
    const touches = [], forces = [];
    for (let i = 0; i < count; i++) {
      const [x, y, z, fx, fy, fz] = values.subarray(1 + 6 * i, 7 + 6 * i);
      const size = Math.hypot(fx, fy, fz);
      const scale = size > 0 ? Math.min(METRES_PER_NEWTON, LONGEST_FORCE / size) : 0;
      touches.push(x, y, z);
      forces.push(x, y, z, x + scale * fx, y + scale * fy, z + scale * fz);
    }
    this.forces.set(forces);
    setAttribute(this.touches.geometry, "position", touches);
    const centers = [], velocities = [], start = 1 + 6 * count;
    const center = new THREE.Vector3();
    model.bodies.forEach((body, i) => {
      if (model.scene.bodies[i].mass === 0) return;
      center.set(...model.scene.bodies[i].com).applyQuaternion(body.quaternion).add(body.position);
      centers.push(center.x, center.y, center.z);
      const [vx, vy, vz] = values.subarray(start + 3 * i, start + 3 * i + 3);
      velocities.push(center.x, center.y, center.z, center.x + vx, center.y + vy, center.z + vz);
    });
    setAttribute(this.centers.geometry, "position", centers);
    this.velocities.set(velocities);
    this.setJoints(model);
    this.view.needsDraw = true;
  }

  setJoints(model) {
    const ends = [], origin = new THREE.Vector3(), axis = new THREE.Vector3();
    for (const joint of model.scene.joints) {
      if (joint.kind !== KIND.joint.hinge && joint.kind !== KIND.joint.slide) continue;
      const body = model.bodies[joint.body];
      origin.set(...joint.pos).applyQuaternion(body.quaternion).add(body.position);
      axis.set(...joint.axis).applyQuaternion(body.quaternion).multiplyScalar(0.12);
      ends.push(...origin.clone().sub(axis).toArray(), ...origin.clone().add(axis).toArray());
    }
    this.axes.set(ends);
  }

  show(shown) {
    this.group.visible = shown;
  }
}
