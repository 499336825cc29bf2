// The binary WebSocket: newest messages in, wishes out. It comes back by itself after a loss.

import { STREAM_PATH } from "horus-view/constants.js";

const FIRST_RETRY_MS = 300;
const LONGEST_RETRY_MS = 3000;
const PACE_MS = 30;
const UTF8 = new TextDecoder();

/** Bytes of a channel, as `stream/frames.py` and `stream/streaming.py` write them. */
class Frame {
  constructor(data) {
    const view = new DataView(data);
    const length = view.getUint32(0, true);
    const start = 4 + 4 * Math.ceil(length / 4);
    this.channel = UTF8.decode(new Uint8Array(data, 4, length));
    this.number = view.getUint32(start, true);
    this.time = view.getFloat64(start + 4, true);
    this.data = data;
    this.offset = start + 12;
  }

  get values() {
    return new Float32Array(this.data, this.offset);
  }

  get bytes() {
    return new Uint8Array(this.data, this.offset);
  }
}

export class Connection {
  /** @param {(isOpen: boolean) => void} onState Called when the connection opens or is lost. */
  constructor(onState) {
    this.onState = onState;
    this.listeners = {};
    this.unacknowledged = [];
    this.isClosed = false;
    this.retryMs = FIRST_RETRY_MS;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}${STREAM_PATH}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.retryMs = FIRST_RETRY_MS;
      this.listen(this.listeners);
      this.onState(true);
    };
    this.socket.onmessage = (event) => this.receive(event.data);
    this.socket.onclose = () => {
      this.unacknowledged = [];
      this.onState(false);
      if (this.isClosed) return;
      this.timer = setTimeout(() => this.open(), this.retryMs);
      this.retryMs = Math.min(2 * this.retryMs, LONGEST_RETRY_MS);
    };
  }

  receive(data) {
    const message = typeof data === "string" ? JSON.parse(data) : new Frame(data);
    this.unacknowledged.push(message.channel);
    // All of 'cloud:0', 'cloud:1', ... go to who listens to 'cloud'.
    this.listeners[message.channel.split(":")[0]]?.(message);
  }

  // What was shown is acknowledged when it was drawn: a slow page gets fewer messages.
  acknowledge() {
    for (const channel of this.unacknowledged.splice(0)) this.send({ ack: channel });
  }

  /**
   * Listens to other channels than before.
   * @param {object} listeners By channel: what is called with each frame, or parsed JSON.
   */
  listen(listeners) {
    this.listeners = listeners;
    this.send({ want: Object.keys(listeners) });
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // For what follows a pointer: the newest message every few milliseconds, and the last one surely.
  sendSoon(message) {
    this.waiting = message;
    this.pace ??= setTimeout(() => this.flush(), Math.max(0, (this.pacedAt ?? 0) + PACE_MS - performance.now()));
  }

  // Sends what waits, such as before the word that a drag has ended.
  flush() {
    clearTimeout(this.pace);
    this.pace = null;
    if (!this.waiting) return;
    this.pacedAt = performance.now();
    this.send(this.waiting);
    this.waiting = null;
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.pace);
    this.socket.close();
  }
}
