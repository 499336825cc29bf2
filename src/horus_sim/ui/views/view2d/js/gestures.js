// What fingers and the mouse do on a 2D view: look around, click, drag, turn, pull, draw.

const CLICK_PIXELS = 4;
const PACE_MS = 33;
const WHEEL = 1.0015;
const OVER = new Set(["handle", "turn"]);

export class Gestures {
  /** @param view The component: its camera, drawing, tool, and `report` for what the user does. */
  constructor(view) {
    this.view = view;
    this.pointers = new Map();
    this.gesture = null;
  }

  dispose() {
    clearTimeout(this.pace);
  }

  get svg() {
    return this.view.$refs.svg;
  }

  /** Where a pointer is on the view [px]. */
  at(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  thingAt(event) {
    const found = event.target.closest?.("[data-id]");
    // What is painted lies over the floor and under knobs and handles.
    const painted = OVER.has(found?.dataset.kind) ? "" : this.paintedAt(event);
    if (painted) return { id: painted, kind: "body", body: painted };
    if (!found) return { id: "", kind: "", body: "" };
    const { id, kind } = found.dataset;
    return { id, kind, body: this.view.drawing.devices.get(id)?.item.body ?? (kind === "body" ? id : "") };
  }

  paintedAt(event) {
    const { view, drawing } = this.view;
    return drawing.bodyAt(...view.toWorld(...this.at(event)), view.scale);
  }

  down(event) {
    this.svg.focus({ preventScroll: true });
    this.pointers.set(event.pointerId, this.at(event));
    this.svg.setPointerCapture(event.pointerId);
    this.forget();
    if (this.pointers.size === 2) {
      if (this.gesture?.isMoving && this.gesture.tell) this.gesture.tell(event, "end");
      this.gesture = { kind: "pinch" };
      return;
    }
    const thing = this.thingAt(event);
    const start = this.at(event);
    this.gesture = { start, thing, isMoving: false, ...this.gestureFor(event, thing, start) };
    if (this.gesture.kind === "point") this.view.report(event, "point", { phase: "down", id: thing.id, kind: thing.kind });
  }

  gestureFor(event, thing, start) {
    const { view } = this;
    if (event.button !== 0) return { kind: "pan" };
    if (thing.kind === "handle") return this.pull(thing.id);
    if (thing.kind === "turn") return this.turn();
    if (view.tool === "draw") return { kind: "point" };
    if (thing.id && view.canDrag(thing.id, thing.kind)) return this.drag(thing, start);
    // A device that stays where it is takes its body along.
    if (thing.body && view.canDrag(thing.body, "body")) return this.drag({ id: thing.body, kind: "body" }, start);
    return { kind: "pan" };
  }

  // Each of these three tells a phase: start, move or end.

  pull(id) {
    const { view } = this;
    const tell = (event, phase) => {
      const [x, y] = view.view.toWorld(...this.at(event)).map(view.snapped);
      view.pulls.move(id, x, y);
      view.report(event, "handle", { id, phase });
    };
    return { kind: "handle", tell };
  }

  drag({ id, kind }, start) {
    const { view } = this;
    const origin = view.drawing.poseOf(id) ?? [0, 0, 0];
    const from = view.view.toWorld(...start);
    const tell = (event, phase) => {
      const [x, y] = view.view.toWorld(...this.at(event));
      const pose = [view.snapped(origin[0] + x - from[0]), view.snapped(origin[1] + y - from[1]), origin[2]];
      if (view.echo && kind === "body") view.drawing.setPose(id, pose);
      view.report(event, "drag", { id, kind, phase, pose, delta: [x - from[0], y - from[1]] });
    };
    return { kind: "drag", tell };
  }

  turn() {
    const { view } = this;
    const id = view.selected;
    const origin = view.drawing.poseOf(id);
    const tell = (event, phase) => {
      const [x, y] = view.view.toWorld(...this.at(event));
      let theta = Math.atan2(y - origin[1], x - origin[0]);
      if (event.shiftKey || view.snap > 0) theta = (Math.round((theta * 12) / Math.PI) * Math.PI) / 12;
      const pose = [origin[0], origin[1], theta];
      if (view.echo) view.drawing.setPose(id, pose);
      view.report(event, "drag", { id, kind: "body", phase, pose, delta: [0, 0], turns: true });
    };
    return { kind: "drag", tell };
  }

  move(event) {
    const now = this.at(event);
    this.view.showWhere(now);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.hover(event);
      return;
    }
    if (this.gesture?.kind === "pinch") this.pinch(event.pointerId, now);
    this.pointers.set(event.pointerId, now);
    const gesture = this.gesture;
    if (!gesture || gesture.kind === "pinch") return;
    if (!gesture.isMoving) {
      if (Math.hypot(now[0] - gesture.start[0], now[1] - gesture.start[1]) < CLICK_PIXELS) return;
      gesture.isMoving = true;
      this.svg.classList.add(gesture.kind === "pan" ? "h2d-panning" : "h2d-dragging");
      gesture.tell?.(event, "start");
    }
    if (gesture.kind === "pan") {
      this.view.view.pan(now[0] - before[0], now[1] - before[1]);
      this.view.looked();
    } else if (gesture.kind === "point") this.soon(() => this.view.report(event, "point", { phase: "move", ...gesture.thing }));
    else this.soon(() => gesture.tell(event, "move"));
  }

  hover(event) {
    const { view } = this;
    const { id, kind, body } = this.thingAt(event);
    const can = view.tool !== "draw" && (view.canDrag(id, kind) || (body && view.canDrag(body, "body")));
    const node = event.target.closest?.("[data-id]");
    node?.classList.toggle("h2d-can-drag", Boolean(can));
    this.svg.classList.toggle("h2d-can-drag", Boolean(can) && !node);
    if (view.tool === "draw") this.soon(() => view.report(event, "point", { phase: "hover", id, kind }));
  }

  // The newest every few milliseconds, and the last one surely, also of a pointer that is held still.
  soon(tell) {
    this.waiting = tell;
    this.pace ??= setTimeout(() => this.flush(), Math.max(0, (this.pacedAt ?? 0) + PACE_MS - performance.now()));
  }

  flush() {
    const tell = this.waiting;
    this.forget();
    if (!tell) return;
    this.pacedAt = performance.now();
    tell();
  }

  // What waits has been overtaken.
  forget() {
    clearTimeout(this.pace);
    this.pace = null;
    this.waiting = null;
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const gesture = this.gesture;
    this.svg.classList.remove("h2d-panning", "h2d-dragging");
    if (this.pointers.size) return;
    this.gesture = null;
    if (!gesture) return;
    if (gesture.kind === "point") {
      // A stroke goes through all its points, also the last before the pointer was lifted.
      this.flush();
      this.view.report(event, "point", { phase: "up", ...gesture.thing });
      return;
    }
    this.forget();
    if (gesture.kind === "pinch") this.view.tellCamera();
    else if (!gesture.isMoving) {
      if (event.type === "pointerup") this.view.report(event, "pick", gesture.thing);
    } else if (gesture.kind === "pan") this.view.tellCamera();
    else gesture.tell(event, "end");
  }

  pinch(id, now) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const before = this.pointers.get(id);
    if (!other || !before) return;
    const spread = (a, b) => Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1);
    const { view: camera } = this.view;
    camera.zoom(spread(now, other) / spread(before, other), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    camera.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.view.looked();
  }

  wheel(event) {
    const lines = event.deltaMode === 1 ? 20 : 1;
    this.view.view.zoom(WHEEL ** (-event.deltaY * lines), ...this.at(event));
    this.view.looked();
    this.view.tellCamera();
  }

  double(event) {
    this.view.report(event, "double", this.thingAt(event));
  }
}
