// The view mode of sensors: points and rays, what cameras see, where receivers sit.

import { THREE } from "nicegui-scene";
import { Lines, makeLabel, points, setAttribute } from "horus-view3d/overlays.js";

const MOST_RAYS = 360;
const FRUSTUM_DEPTH = 0.5;
const MAST = 0.25;

export default class SensorsMode {
  constructor(view) {
    this.view = view;
    this.group = new THREE.Group();
    view.world.add(this.group);
    this.clouds = new Map();
    this.frusta = new Lines(0x0a84ff);
    this.masts = new Lines(0x30d158);
    this.receivers = points(0x30d158, 9);
    this.places = points(0xffffff, 5);
    this.group.add(this.frusta.object, this.masts.object, this.receivers, this.places);
    this.labels = [];
  }

  listeners() {
    return { cloud: ({ number, values }) => this.setCloud(number, values) };
  }

  setCloud(number, values) {
    let cloud = this.clouds.get(number);
    if (!cloud) {
      cloud = { points: points(0xff9500, 3), rays: new Lines(0xff9500) };
      cloud.rays.material.opacity = 0.18;
      this.clouds.set(number, cloud);
      this.group.add(cloud.points, cloud.rays.object);
    }
    const hits = values.subarray(3);
    setAttribute(cloud.points.geometry, "position", hits);
    const count = hits.length / 3, every = Math.max(1, Math.ceil(count / MOST_RAYS)), fan = [];
    for (let i = 0; i < count; i += every) {
      fan.push(values[0], values[1], values[2], hits[3 * i], hits[3 * i + 1], hits[3 * i + 2]);
    }
    cloud.rays.set(fan);
    this.view.needsDraw = true;
  }

  /** Draws what is fixed to bodies, wherever these are now. */
  place(model) {
    const { cameras, sensors } = model.scene;
    const frusta = [], masts = [], receivers = [], places = [];
    for (const camera of cameras) {
      // MuJoCo's look along -z with y up, and state the vertical field of view.
      const up = Math.tan((camera.fov_deg * Math.PI) / 360);
      addFrustum(frusta, model, camera, (x, y) => [x * up * (4 / 3), y * up, -1]);
    }
    this.labelled(model.scene);
    sensors.forEach((sensor, i) => {
      const at = inWorld(model, sensor, 0, 0, 0);
      this.labels[i].position.set(...at);
      if (sensor.fov_deg) {
        const right = Math.tan((sensor.fov_deg * Math.PI) / 360);
        addFrustum(frusta, model, sensor, (x, y) => [1, -x * right, (y * right) / sensor.aspect]);
      } else if (sensor.kind === "gps") {
        masts.push(...at, at[0], at[1], at[2] + MAST);
        receivers.push(at[0], at[1], at[2] + MAST);
      } else places.push(...at);
    });
    this.frusta.set(frusta);
    this.masts.set(masts);
    setAttribute(this.receivers.geometry, "position", receivers);
    setAttribute(this.places.geometry, "position", places);
  }

  labelled(scene) {
    if (this.of === scene) return;
    this.of = scene;
    for (const label of this.labels) label.removeFromParent();
    this.labels = scene.sensors.map((sensor) => {
      const label = makeLabel(`${sensor.name} (${sensor.kind.replaceAll("_", " ")})`);
      label.visible = this.group.visible;
      this.group.add(label);
      return label;
    });
  }

  adopt() {
    for (const cloud of this.clouds.values()) {
      cloud.points.removeFromParent();
      cloud.rays.dispose();
    }
    this.clouds.clear();
  }

  show(shown) {
    if (shown && this.view.model) this.place(this.view.model);
    this.group.visible = shown;
    for (const label of this.labels) label.visible = shown;
  }
}

function inWorld(model, { body, pos, quat }, x, y, z) {
  const carrier = model.bodies[body];
  return new THREE.Vector3(x, y, z)
    .applyQuaternion(new THREE.Quaternion(...quat))
    .add(new THREE.Vector3(...pos))
    .applyQuaternion(carrier.quaternion)
    .add(carrier.position)
    .toArray();
}

function addFrustum(ends, model, camera, corner) {
  const eye = inWorld(model, camera, 0, 0, 0);
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) =>
    inWorld(model, camera, ...corner(x, y).map((value) => FRUSTUM_DEPTH * value)),
  );
  corners.forEach((one, i) => ends.push(...eye, ...one, ...one, ...corners[(i + 1) % 4]));
}
