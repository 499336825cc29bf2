// The exported MuJoCo model as three.js objects: a group for each body, meshes below it.

import { THREE } from "nicegui-scene";
import { KIND } from "horus-view/constants.js";

const INFINITE = 100;
const COLLISION_COLOR = 0xff8c1a;

/** Reads the file that `scene_export.py` writes. */
export function decodeScene(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  return { ...JSON.parse(text), blob: buffer, start: 4 + length };
}

export class Model {
  constructor(scene, options) {
    this.scene = scene;
    this.root = new THREE.Group();
    this.shapes = new Map();
    this.disposables = [];
    this.visuals = [];
    this.collisions = [];
    this.textures = scene.textures.map((texture) => texture && this.makeTexture(texture, options));
    this.materials = scene.materials.map((material) => this.makeMaterial(material));
    this.meshes = scene.meshes.map((mesh) => this.makeMesh(mesh));
    this.collisionMaterial = this.keep(
      new THREE.MeshBasicMaterial({ color: COLLISION_COLOR, wireframe: true }),
    );
    this.bodies = scene.bodies.map((body, i) => {
      const group = new THREE.Group();
      group.name = body.name;
      group.userData = { owner: body.owner, kind: body.kind, index: i };
      this.root.add(group);
      return group;
    });
    for (const geom of scene.geoms) this.addGeom(geom, options);
  }

  keep(thing) {
    this.disposables.push(thing);
    return thing;
  }

  array(where, Kind, width) {
    return new Kind(this.scene.blob, this.scene.start + where[0], where[1] * width);
  }

  makeTexture(texture, { onTexture }) {
    const [offset, count] = texture.png;
    const bytes = new Uint8Array(this.scene.blob, this.scene.start + offset, count);
    const made = this.keep(new THREE.Texture());
    made.colorSpace = THREE.SRGBColorSpace;
    made.wrapS = made.wrapT = THREE.RepeatWrapping;
    createImageBitmap(new Blob([bytes], { type: "image/png" })).then((image) => {
      made.image = image;
      made.needsUpdate = true;
      onTexture?.();
    });
    return made;
  }

  makeMaterial(material) {
    const [r, g, b, a] = material.rgba;
    const map = material.texture >= 0 ? this.textures[material.texture] : null;
    if (map) map.repeat.set(material.repeat[0] || 1, material.repeat[1] || 1);
    const color = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    return this.keep(
      new THREE.MeshStandardMaterial({
        color,
        map,
        metalness: material.metallic,
        roughness: material.roughness,
        emissive: color.clone().multiplyScalar(material.emission),
        transparent: a < 1,
        opacity: a,
      }),
    );
  }

  makeMesh(mesh) {
    const geometry = this.keep(new THREE.BufferGeometry());
    const add = (name, where, width) =>
      geometry.setAttribute(name, new THREE.BufferAttribute(this.array(where, Float32Array, width), width));
    add("position", mesh.vertices, 3);
    geometry.setIndex(new THREE.BufferAttribute(this.array(mesh.faces, Uint32Array, 3), 1));
    if (mesh.normals) add("normal", mesh.normals, 3);
    else geometry.computeVertexNormals();
    if (mesh.uvs) add("uv", mesh.uvs, 2);
    return geometry;
  }

  shape(geom) {
    if (geom.kind === KIND.geom.mesh) return this.meshes[geom.mesh];
    const key = `${geom.kind}:${geom.size}`;
    if (!this.shapes.has(key)) this.shapes.set(key, this.keep(makeShape(geom)));
    return this.shapes.get(key);
  }

  materialOf(geom) {
    if (geom.material >= 0) return this.materials[geom.material];
    const key = `color:${geom.rgba}`;
    if (!this.shapes.has(key)) {
      this.shapes.set(
        key,
        this.makeMaterial({ rgba: geom.rgba, texture: -1, metallic: 0.1, roughness: 0.8, emission: 0 }),
      );
    }
    return this.shapes.get(key);
  }

  // Floors lie a little deeper than they are, so that the grid is seen on them.
  pushedBack(material) {
    const copy = this.keep(material.clone());
    Object.assign(copy, { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
    return copy;
  }

  addGeom(geom, { shadows }) {
    const body = this.bodies[geom.body];
    const place = (mesh) => {
      mesh.position.set(...geom.pos);
      mesh.quaternion.set(...geom.quat);
      mesh.userData.isPlane = geom.kind === KIND.geom.plane;
      body.add(mesh);
      return mesh;
    };
    if (geom.visible) {
      const material = geom.kind === KIND.geom.plane ? this.pushedBack(this.materialOf(geom)) : this.materialOf(geom);
      const mesh = place(new THREE.Mesh(this.shape(geom), material));
      mesh.castShadow = shadows && geom.kind !== KIND.geom.plane;
      mesh.receiveShadow = shadows;
      this.visuals.push(mesh);
    }
    if (geom.collides) {
      const mesh = place(new THREE.Mesh(this.shape(geom), this.collisionMaterial));
      mesh.visible = false;
      this.collisions.push(mesh);
    }
  }

  showCollisions(shown) {
    for (const mesh of this.collisions) mesh.visible = shown;
    for (const mesh of this.visuals) mesh.visible = !shown || mesh.userData.isPlane;
  }

  setPoses(values) {
    for (let i = 0; i < this.bodies.length; i++) {
      const at = 7 * i;
      this.bodies[i].position.set(values[at], values[at + 1], values[at + 2]);
      this.bodies[i].quaternion.set(values[at + 3], values[at + 4], values[at + 5], values[at + 6]);
    }
    this.root.updateMatrixWorld(true);
  }

  /** The first body of a robot or object: its root. */
  rootOf(owner) {
    return this.bodies.find((body) => body.userData.owner === owner);
  }

  /** Name of what a ray meets first, '' for nothing. */
  pick(raycaster) {
    const meshes = [...this.visuals, ...this.collisions].filter((mesh) => mesh.visible);
    const [hit] = raycaster.intersectObjects(meshes, false);
    return hit && !hit.object.userData.isPlane ? hit.object.parent.userData.owner : "";
  }

  /** The root of the first robot, if there is one. */
  firstRobot() {
    return this.bodies.find((body) => body.userData.kind === "robot");
  }

  /** A box around a robot or object, world frame. */
  boundsOf(owner) {
    const box = new THREE.Box3();
    for (const mesh of [...this.visuals, ...this.collisions]) {
      if (mesh.parent.userData.owner === owner && !mesh.userData.isPlane) box.expandByObject(mesh);
    }
    return box;
  }

  dispose() {
    this.root.removeFromParent();
    for (const thing of this.disposables) thing.dispose();
  }
}

function makeShape({ kind, size }) {
  const [a, b, c] = size;
  switch (kind) {
    case KIND.geom.plane:
      return new THREE.PlaneGeometry(2 * (a || INFINITE), 2 * (b || INFINITE));
    case KIND.geom.sphere:
      return new THREE.SphereGeometry(a, 32, 20);
    case KIND.geom.ellipsoid:
      return new THREE.SphereGeometry(1, 32, 20).scale(a, b, c);
    case KIND.geom.box:
      return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    // three.js puts these along y, MuJoCo along z.
    case KIND.geom.cylinder:
      return new THREE.CylinderGeometry(a, a, 2 * b, 32).rotateX(Math.PI / 2);
    case KIND.geom.capsule:
      return new THREE.CapsuleGeometry(a, 2 * b, 12, 24).rotateX(Math.PI / 2);
    default:
      throw new Error(`view3d: no shape '${kind}'`);
  }
}
