// Sky, ground grid and light.

import { THREE } from "nicegui-scene";
import { BACKGROUND, KIND } from "horus-view/constants.js";

const SKY_RADIUS = 400;
const LARGEST_GRID = 100;
const SHADOW_SIZE = 2048;

const SKY_VERTEX = `
  varying vec3 direction;
  void main() {
    direction = normalize(position);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const SKY_FRAGMENT = `
  uniform vec3 zenith;
  uniform vec3 horizon;
  varying vec3 direction;
  void main() {
    float height = clamp(normalize(direction).z, 0.0, 1.0);
    gl_FragColor = vec4(mix(horizon, zenith, pow(height, 0.6)), 1.0);
    #include <colorspace_fragment>
  }`;

export class Environment {
  constructor(scene, dark, low) {
    this.low = low;
    this.group = new THREE.Group();
    scene.add(this.group);
    this.sky = new THREE.Mesh(
      new THREE.SphereGeometry(SKY_RADIUS, 32, 16),
      new THREE.ShaderMaterial({
        uniforms: { zenith: { value: new THREE.Color() }, horizon: { value: new THREE.Color() } },
        vertexShader: SKY_VERTEX,
        fragmentShader: SKY_FRAGMENT,
        side: THREE.BackSide,
        depthWrite: false,
      }),
    );
    this.sky.renderOrder = -1;
    scene.add(this.sky);
    this.hemisphere = new THREE.HemisphereLight(0xf4f8ff, 0xb8bcc4, 2.6);
    scene.add(this.hemisphere);
    this.background = BACKGROUND;
    this.setDark(dark);
  }

  /** Light, grid and sky as an exported scene wants them. */
  load(exported) {
    this.group.clear();
    this.background = exported.background;
    let shadowed = false;
    for (const light of exported.lights) {
      const color = new THREE.Color().setRGB(...light.diffuse);
      if (light.kind === KIND.light.directional) {
        const sun = new THREE.DirectionalLight(color, 3.4);
        const direction = new THREE.Vector3(...light.dir).normalize();
        const center = new THREE.Vector3(exported.center[0], exported.center[1], 0);
        sun.position.copy(center).addScaledVector(direction, -30);
        sun.target.position.copy(center);
        if (!shadowed && !this.low) {
          shadowed = true;
          this.castShadow(sun, Math.min(Math.max(exported.extent, 4), 30));
        }
        this.group.add(sun, sun.target);
      } else {
        const lamp = light.kind === KIND.light.spot ? new THREE.SpotLight(color, 30) : new THREE.PointLight(color, 20);
        lamp.position.set(...light.pos);
        if (lamp.target) {
          lamp.target.position.set(...light.pos).add(new THREE.Vector3(...light.dir));
          this.group.add(lamp.target);
        }
        this.group.add(lamp);
      }
    }
    this.addGrid(exported.extent);
  }

  castShadow(sun, reach) {
    sun.castShadow = true;
    sun.shadow.mapSize.set(SHADOW_SIZE, SHADOW_SIZE);
    Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 1, far: 80 });
    sun.shadow.normalBias = 0.02;
    sun.shadow.bias = -0.0005;
  }

  addGrid(extent) {
    const half = Math.ceil(Math.min(Math.max(extent, 5), LARGEST_GRID / 2));
    // In pieces of a metre: long lines that end behind the camera vanish in software rendering.
    const ends = [];
    for (let i = -half; i <= half; i++) {
      for (let j = -half; j < half; j++) ends.push(i, j, 0, i, j + 1, 0, j, i, 0, j + 1, i, 0);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(ends, 3));
    this.grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ transparent: true, depthWrite: false }));
    this.grid.position.z = 0.004;
    this.group.add(this.grid);
    this.setDark(this.dark);
  }

  setDark(dark) {
    this.dark = dark;
    const { zenith, horizon } = this.sky.material.uniforms;
    const [r, g, b] = this.background;
    horizon.value.setRGB(r, g, b, THREE.SRGBColorSpace).lerp(new THREE.Color(0xffffff), 0.45);
    zenith.value.setRGB(r * 0.55, g * 0.68, b * 0.9, THREE.SRGBColorSpace);
    if (dark) {
      zenith.value.set(0x05070c);
      horizon.value.set(0x1b2330);
    }
    this.hemisphere.intensity = dark ? 1.1 : 2.6;
    if (this.grid) {
      this.grid.material.color.set(dark ? 0x9fb4c8 : 0x2a3440);
      this.grid.material.opacity = dark ? 0.3 : 0.35;
    }
  }

  follow(camera) {
    this.sky.position.copy(camera.position);
  }
}
