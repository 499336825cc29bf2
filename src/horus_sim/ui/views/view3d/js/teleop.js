// Driving with keys and with a pad on the screen. Wishes are repeated while held; letting go sends zero.

const REPEAT_MS = 40;
const KEYS = {
  KeyW: [1, 0, 0], ArrowUp: [1, 0, 0], KeyS: [-1, 0, 0], ArrowDown: [-1, 0, 0],
  KeyA: [0, 1, 0], ArrowLeft: [0, 1, 0], KeyD: [0, -1, 0], ArrowRight: [0, -1, 0],
  KeyR: [0, 0, 1], KeyF: [0, 0, -1],
};

export class Teleop {
  /** @param {(wish: number[] | null) => void} onWish Gets shares of the top speeds, or null for let go. */
  constructor(pad, knob, onWish) {
    this.pad = pad;
    this.knob = knob;
    this.onWish = onWish;
    this.pressed = new Set();
    this.stick = null;
    this.listeners = [];
    this.on(window, "keydown", (event) => this.keyDown(event));
    this.on(window, "keyup", (event) => this.keyUp(event));
    this.on(window, "blur", () => this.release());
    this.on(window, "pagehide", () => this.release());
    this.on(document, "visibilitychange", () => document.hidden && this.release());
    this.on(pad, "pointerdown", (event) => {
      pad.setPointerCapture(event.pointerId);
      this.moveStick(event);
    });
    this.on(pad, "pointermove", (event) => this.stick && this.moveStick(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      this.on(pad, name, () => this.releaseStick());
    }
  }

  on(target, name, handler) {
    target.addEventListener(name, handler);
    this.listeners.push(() => target.removeEventListener(name, handler));
  }

  keyDown(event) {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable], [role=slider], [role=tab]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.code]) return;
    event.preventDefault();
    this.pressed.add(event.code);
    this.update();
  }

  keyUp(event) {
    if (this.pressed.delete(event.code)) this.update();
  }

  moveStick(event) {
    const box = this.pad.getBoundingClientRect();
    const radius = box.width / 2;
    let x = (event.clientX - box.left - radius) / radius;
    let y = (event.clientY - box.top - radius) / radius;
    const length = Math.hypot(x, y);
    if (length > 1) [x, y] = [x / length, y / length];
    this.stick = [-y, -x, 0];
    this.knob.style.transform = `translate(${x * radius * 0.6}px, ${y * radius * 0.6}px)`;
    this.update();
  }

  releaseStick() {
    if (!this.stick) return;
    this.stick = null;
    this.knob.style.transform = "";
    this.update();
  }

  release() {
    this.pressed.clear();
    this.releaseStick();
    this.update();
  }

  wish() {
    if (this.stick) return this.stick;
    if (!this.pressed.size) return null;
    const sum = [0, 0, 0];
    for (const code of this.pressed) KEYS[code].forEach((value, i) => (sum[i] += value));
    return sum.map((value) => Math.max(-1, Math.min(1, value)));
  }

  update() {
    const wish = this.wish();
    if (wish) {
      this.onWish(wish);
      this.timer ??= setInterval(() => this.onWish(this.wish()), REPEAT_MS);
    } else if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
      this.onWish(null);
    }
  }

  dispose() {
    this.release();
    for (const remove of this.listeners) remove();
  }
}
