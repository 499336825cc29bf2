// Where a view looks: pixels of the screen and metres of the world.

const LEAST_SCALE = 5; // pixels a metre
const MOST_SCALE = 20000;
const MARGIN = 0.06;

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 200;
    this.width = 1;
    this.height = 1;
  }

  resize(width, height) {
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
  }

  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  get matrix() {
    const [tx, ty] = this.toScreen(0, 0);
    return `matrix(${this.scale} 0 0 ${-this.scale} ${tx} ${ty})`;
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  // The point of the world under the pointer stays there.
  zoom(factor, px, py) {
    const [wx, wy] = this.toWorld(px, py);
    this.scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, this.scale * factor));
    this.x = wx - (px - this.width / 2) / this.scale;
    this.y = wy + (py - this.height / 2) / this.scale;
  }

  fit([lowX, lowY, highX, highY]) {
    const width = Math.max(highX - lowX, 0.2);
    const height = Math.max(highY - lowY, 0.2);
    this.x = (lowX + highX) / 2;
    this.y = (lowY + highY) / 2;
    const fits = Math.min(this.width / width, this.height / height) * (1 - 2 * MARGIN);
    this.scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, fits));
  }
}

// The finest of 1, 2, 5, 10, ... cm or m whose lines are that many pixels apart.
export function gridStep(scale, pixels) {
  const wanted = pixels / scale;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= wanted * 0.999);
}

export function extentOf(scene) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (x, y, r = 0) => {
    box[0] = Math.min(box[0], x - r);
    box[1] = Math.min(box[1], y - r);
    box[2] = Math.max(box[2], x + r);
    box[3] = Math.max(box[3], y + r);
  };
  for (const body of scene.bodies) {
    const [x, y] = body.pose;
    const reach = body.radius ?? Math.max(0, ...(body.points ?? []).map((p) => Math.hypot(...p)));
    add(x, y, reach);
  }
  for (const stroke of scene.strokes) for (const [x, y] of stroke.points) add(x, y, stroke.width / 2);
  if (scene.bounds) {
    add(...scene.bounds.low, scene.bounds.width);
    add(...scene.bounds.high, scene.bounds.width);
  }
  return Number.isFinite(box[0]) ? box : [-1, -1, 1, 1];
}
