// A model many times over, side by side: every shape is drawn once for all environments.

import { THREE } from "nicegui-scene";
import { KIND } from "horus-view/constants.js";
import { Model } from "horus-view3d/model.js";

const HEAD = 4;
const POSE = 7;
const SHAPED = 6;
const STATES = { plain: 0x8fa0b4, success: 0x2fbf71, failure: 0xe5484d, marked: 0x2f6fed };
const GOAL_COLOR = 0x2fbf71;
const FLOOR = [0.83, 0.86, 0.9, 1];
const DARK_FLOOR = 0x39424f;
const ROBOT = [0.13, 0.24, 0.47, 1];
const HALO = 0.03;
const LIFT = 0.006;
const ONE = new THREE.Vector3(1, 1, 1);

export class TiledModel extends Model {
  constructor(scene, options) {
    super(scene, options);
    const { offsets, shaped } = scene.tiles;
    this.offsets = offsets;
    this.marked = "";
    this.order = new Map(shaped.map((id, i) => [id, i]));
    this.stride = HEAD + POSE * this.bodies.length + SHAPED * shaped.length;
    this.anchors = offsets.map(([x, y]) => {
      const anchor = new THREE.Object3D();
      anchor.position.set(x, y, 0);
      return anchor;
    });
    this.addBorders();
    this.addGoals();
    this.addHalos();
  }

  // Robots that drive are small in large tiles; a disc below each is seen from far away.
  addHalos() {
    const [first] = this.scene.joints;
    this.drives = first?.kind === KIND.joint.free;
    this.rootIndex = this.drives ? first.body : 1;
    const radius = HALO * this.scene.tiles.size;
    const shape = this.keep(new THREE.CircleGeometry(radius, 32));
    const material = new THREE.MeshBasicMaterial({ color: STATES.marked, transparent: true, opacity: 0.45, depthWrite: false });
    this.halos = new THREE.InstancedMesh(shape, this.keep(material), this.offsets.length);
    this.halos.frustumCulled = false;
    this.halos.visible = this.drives;
    this.root.add(this.halos);
  }

  /** The floor at night. */
  setDark(dark) {
    if (this.floor) dark ? this.floor.material.color.set(DARK_FLOOR) : this.floor.material.color.setRGB(...FLOOR.slice(0, 3), THREE.SRGBColorSpace);
  }

  // The constructor of the base calls this.
  addGeom(geom, options) {
    if (geom.kind === KIND.geom.plane) {
      // One floor for all of them, as large as need be.
      super.addGeom({ ...geom, rgba: FLOOR, material: -1, size: [0, 0, 1] }, options);
      this.floor = this.visuals[this.visuals.length - 1];
      return;
    }
    if (geom.body > 0 && (isPlain(geom) || isGlass(geom))) geom = { ...geom, rgba: ROBOT };
    if (!geom.visible && !geom.collides) return;
    const count = this.scene.tiles.offsets.length;
    const make = (material, list) => {
      const mesh = new THREE.InstancedMesh(this.shape(geom), material, count);
      // Its bounds would have to be computed anew in every frame.
      mesh.frustumCulled = false;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.root.add(mesh);
      list.push(mesh);
      this.instances ??= [];
      this.instances.push({ mesh, geom, local: matrixOf(geom.pos, geom.quat, ONE) });
      return mesh;
    };
    if (geom.visible) {
      const mesh = make(this.materialOf(geom), this.visuals);
      mesh.castShadow = mesh.receiveShadow = options.shadows;
    }
    if (geom.collides) make(this.collisionMaterial, this.collisions).visible = false;
  }

  addBorders() {
    const half = 0.485 * this.scene.tiles.size;
    const corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    const ends = this.scene.tiles.centres.flatMap(([x, y]) =>
      corners.flatMap(([a, b], k) => {
        const [c, d] = corners[(k + 1) % 4];
        return [x + a, y + b, LIFT, x + c, y + d, LIFT];
      }),
    );
    const geometry = this.keep(new THREE.BufferGeometry());
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(ends, 3));
    this.colors = new THREE.Float32BufferAttribute(new Float32Array(ends.length), 3);
    geometry.setAttribute("color", this.colors);
    const lines = new THREE.LineSegments(geometry, this.keep(new THREE.LineBasicMaterial({ vertexColors: true })));
    // Lines are a pixel wide: a second one beside the first is seen from farther away.
    const inner = lines.clone();
    inner.scale.set(0.999, 0.999, 1);
    this.root.add(lines, inner);
    this.states = this.offsets.map(() => "");
    // A veil over the tile whose episode has just ended.
    const veil = this.keep(new THREE.PlaneGeometry(2 * half, 2 * half));
    this.veils = this.scene.tiles.centres.map(([x, y]) => {
      const material = this.keep(new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.16, depthWrite: false }));
      const mesh = new THREE.Mesh(veil, material);
      mesh.position.set(x, y, LIFT);
      mesh.visible = false;
      this.root.add(mesh);
      return mesh;
    });
  }

  addGoals() {
    const { goal } = this.scene.tiles;
    if (!goal) return;
    const shape = goal.flat
      ? new THREE.CylinderGeometry(goal.radius, goal.radius, 0.012, 40).rotateX(Math.PI / 2)
      : new THREE.SphereGeometry(goal.radius, 24, 16);
    const material = new THREE.MeshStandardMaterial({ color: GOAL_COLOR, transparent: true, opacity: 0.75 });
    this.goals = new THREE.InstancedMesh(this.keep(shape), this.keep(material), this.offsets.length);
    this.goals.frustumCulled = false;
    this.root.add(this.goals);
  }

  setPoses(values) {
    const bodies = this.bodies.map(() => new THREE.Matrix4());
    const matrix = new THREE.Matrix4();
    this.offsets.forEach(([x, y], tile) => {
      const at = tile * this.stride;
      this.setState(tile, values[at]);
      if (this.goals) {
        const [gx, gy, gz] = values.subarray(at + 1, at + HEAD);
        matrix.makeTranslation(gx + x, gy + y, gz);
        this.goals.setMatrixAt(tile, matrix);
      }
      bodies.forEach((body, i) => {
        const p = values.subarray(at + HEAD + POSE * i, at + HEAD + POSE * (i + 1));
        placed(body, p[0] + x, p[1] + y, p[2], p[3], p[4], p[5], p[6]);
        if (i !== this.rootIndex) return;
        this.anchors[tile].position.set(p[0] + x, p[1] + y, p[2]);
        this.halos.setMatrixAt(tile, matrix.makeTranslation(p[0] + x, p[1] + y, 2 * LIFT));
      });
      const first = at + HEAD + POSE * bodies.length;
      for (const instance of this.instances ?? []) this.place(instance, tile, bodies, values, first, matrix);
    });
    for (const { mesh } of this.instances ?? []) mesh.instanceMatrix.needsUpdate = true;
    this.halos.instanceMatrix.needsUpdate = true;
    if (this.goals) this.goals.instanceMatrix.needsUpdate = true;
    this.root.updateMatrixWorld(true);
  }

  place({ mesh, geom, local }, tile, bodies, values, first, matrix) {
    const number = this.order.get(geom.id);
    if (number !== undefined) {
      const p = values.subarray(first + SHAPED * number, first + SHAPED * (number + 1));
      local.compose(
        new THREE.Vector3(p[0], p[1], p[2]),
        new THREE.Quaternion(...geom.quat),
        scaleOf(geom, p[3], p[4], p[5]),
      );
    }
    mesh.setMatrixAt(tile, matrix.multiplyMatrices(bodies[geom.body], local));
  }

  setState(tile, ended) {
    const veil = ["", "success", "failure"][ended] ?? "";
    const isMarked = this.marked === String(tile + 1);
    const state = veil || (isMarked ? "marked" : "plain");
    if (this.states[tile] === state) return;
    this.states[tile] = state;
    const color = new THREE.Color(STATES[state]);
    for (let k = 0; k < 8; k++) this.colors.setXYZ(8 * tile + k, color.r, color.g, color.b);
    this.colors.needsUpdate = true;
    this.veils[tile].visible = Boolean(veil) || isMarked;
    this.veils[tile].material.color.set(STATES[state]);
    this.veils[tile].material.opacity = veil ? 0.2 : 0.1;
  }

  /** Marks the environment that is followed: its number as text, '' for none. */
  mark(name) {
    this.marked = name;
    this.states = this.states.map(() => "");
    this.offsets.forEach((_, tile) => this.setState(tile, 0));
  }

  rootOf(name) {
    return name ? this.anchors[Number(name) - 1] : undefined;
  }

  firstRobot() {
    return undefined;
  }

  /** Number of the environment on whose ground a ray falls. */
  pick(raycaster) {
    const ground = raycaster.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), new THREE.Vector3());
    if (!ground) return "";
    const half = 0.5 * this.scene.tiles.size;
    const found = this.scene.tiles.centres.findIndex(([x, y]) => Math.abs(ground.x - x) < half && Math.abs(ground.y - y) < half);
    return found < 0 ? "" : String(found + 1);
  }
}

// MuJoCo's grey for what has no colour of its own.
function isPlain(geom) {
  return geom.material < 0 && String(geom.rgba) === "0.5,0.5,0.5,1";
}

// What only touches in the full robot is drawn as if it were made of glass there.
function isGlass(geom) {
  return geom.material < 0 && geom.rgba[3] < 1;
}

function matrixOf(position, quaternion, scale) {
  return new THREE.Matrix4().compose(new THREE.Vector3(...position), new THREE.Quaternion(...quaternion), scale);
}

const placed = (matrix, x, y, z, qx, qy, qz, qw) =>
  matrix.compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(qx, qy, qz, qw), ONE);

// A shape that has other measures in this environment than in the model.
function scaleOf({ kind, size }, a, b, c) {
  const share = (now, then) => (then > 0 ? Math.max(now / then, 1e-6) : 1);
  if (kind === KIND.geom.sphere) return new THREE.Vector3().setScalar(share(a, size[0]));
  if (kind === KIND.geom.cylinder || kind === KIND.geom.capsule) {
    return new THREE.Vector3(share(a, size[0]), share(a, size[0]), share(b, size[1]));
  }
  return new THREE.Vector3(share(a, size[0]), share(b, size[1]), share(c, size[2]));
}
