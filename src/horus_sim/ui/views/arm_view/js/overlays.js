// Beside the arm: the floor, the points that it reaches, the way of the tool, the ellipsoid.

import { THREE } from "nicegui-scene";

const POOR = new THREE.Color(0x5f3dc4);
const MIDDLE = new THREE.Color(0x1098ad);
const RICH = new THREE.Color(0xfab005);
const SECONDS = 0.25;

export class Floor {
  constructor(stage, dark, low) {
    this.Material = low ? THREE.MeshBasicMaterial : THREE.MeshLambertMaterial;
    this.group = new THREE.Group();
    stage.add(this.group);
    this.dark = dark;
  }

  setReach(reach, base) {
    this.group.clear();
    // Ten squares or so on each side, of 1, 2 or 5 times a power of ten.
    const wish = reach / 6;
    const power = 10 ** Math.floor(Math.log10(wish));
    const cell = power * [1, 2, 5, 10].find((factor) => factor * power >= wish);
    const half = Math.ceil((1.6 * reach) / cell);
    const minor = [], major = [];
    for (let i = -half; i <= half; i++) {
      for (let j = -half; j < half; j++) {
        const lines = i % 5 === 0 ? major : minor;
        lines.push(i * cell, j * cell, 0, i * cell, (j + 1) * cell, 0, j * cell, i * cell, 0, (j + 1) * cell, i * cell, 0);
      }
    }
    this.lines = [minor, major].map((ends) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(ends, 3));
      return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ transparent: true, depthWrite: false }));
    });
    this.plate = new THREE.Mesh(
      new THREE.CircleGeometry(half * cell * 1.45, 64),
      new this.Material({ side: THREE.DoubleSide, transparent: true, depthWrite: false }),
    );
    this.plate.receiveShadow = true;
    this.plate.renderOrder = -1;
    this.plate.position.z = -0.002 * reach;
    this.group.add(this.plate, ...this.lines);
    this.group.position.set(0, 0, Math.min(0, base[2]) - 0.0005 * reach);
    const axes = new THREE.AxesHelper(2 * cell);
    axes.position.z = 0.001 * reach;
    this.group.add(axes);
    this.setDark(this.dark);
  }

  setDark(dark) {
    this.dark = dark;
    if (!this.plate) return;
    this.plate.material.color.set(dark ? 0x2b3440 : 0xdfe5ea);
    this.plate.material.opacity = dark ? 0.75 : 0.8;
    this.lines.forEach((line, i) => {
      line.material.color.set(dark ? 0xa9bccf : 0x4a5a6a);
      line.material.opacity = (dark ? [0.12, 0.3] : [0.18, 0.42])[i];
    });
  }
}

export class Cloud {
  constructor(stage) {
    this.points = new THREE.Points(
      new THREE.BufferGeometry(),
      new THREE.PointsMaterial({ size: 0.01, vertexColors: true, transparent: true, opacity: 0.7, depthWrite: false }),
    );
    this.points.frustumCulled = false;
    stage.add(this.points);
  }

  show(shown) {
    this.points.visible = shown;
  }

  clear(reach) {
    this.points.material.size = 0.011 * reach;
    this.points.geometry.setDrawRange(0, 0);
  }

  /** Rows of x, y, z [m] and how well the arm moves there, from 0 to 1. */
  set(values) {
    const count = values.length / 4;
    const positions = new Float32Array(3 * count), colors = new Float32Array(3 * count);
    const color = new THREE.Color();
    for (let i = 0; i < count; i++) {
      positions.set(values.subarray(4 * i, 4 * i + 3), 3 * i);
      const share = values[4 * i + 3];
      if (share < 0.5) color.copy(POOR).lerp(MIDDLE, 2 * share);
      else color.copy(MIDDLE).lerp(RICH, 2 * share - 1);
      color.toArray(colors, 3 * i);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    this.points.geometry.dispose();
    this.points.geometry = geometry;
  }
}

export class Path {
  constructor(stage) {
    this.line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x0b7285 }));
    this.line.frustumCulled = false;
    stage.add(this.line);
  }

  show(shown) {
    this.line.visible = shown;
  }

  clear() {
    this.set(new Float32Array());
  }

  set(values) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(values.slice(), 3));
    this.line.geometry.dispose();
    this.line.geometry = geometry;
  }
}

export class Ellipsoid {
  constructor(stage) {
    this.mesh = new THREE.Mesh(
      new THREE.SphereGeometry(1, 32, 24),
      new THREE.MeshLambertMaterial({ color: 0x1c7ed6, transparent: true, opacity: 0.35, depthWrite: false }),
    );
    this.mesh.matrixAutoUpdate = false;
    this.mesh.frustumCulled = false;
    stage.add(this.mesh);
  }

  setReach(reach) {
    this.thinnest = 0.004 * reach;
  }

  show(shown) {
    this.mesh.visible = shown;
  }

  /** Half axes in columns [m/s]; a quarter of a second long, and never quite flat. */
  set(values, position) {
    const columns = [0, 1, 2].map((i) => new THREE.Vector3(values[i], values[3 + i], values[6 + i]).multiplyScalar(SECONDS));
    const normal = new THREE.Vector3().crossVectors(columns[0], columns[1]);
    if (columns[2].length() < this.thinnest) columns[2].copy(normal.setLength(this.thinnest || 0.001));
    this.mesh.matrix.makeBasis(...columns).setPosition(position);
    this.mesh.matrixWorldNeedsUpdate = true;
  }
}
