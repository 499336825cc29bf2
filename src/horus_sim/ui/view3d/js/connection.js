// The binary WebSocket: newest messages in, wishes out. It comes back by itself after a loss.

export const KIND = { POSES: 1, PHYSICS: 2, CLOUD: 3, TRANSFORMS: 4, IMAGE: 5, TILES: 48 };
const CHANNEL = { 1: "poses", 2: "physics", 3: "cloud", 4: "tf", 5: "image" };
const NUMBERED = new Set([KIND.CLOUD, KIND.IMAGE]);
const FIRST_RETRY_MS = 300;
const LONGEST_RETRY_MS = 3000;
const PACE_MS = 30;

export class Connection {
  /**
   * @param {(message: object) => void} onBinary Gets {kind, number, time, values}.
   * @param {(message: object) => void} onText Gets parsed JSON.
   * @param {(isOpen: boolean) => void} onState Called when the connection opens or is lost.
   */
  constructor(onBinary, onText, onState) {
    this.onBinary = onBinary;
    this.onText = onText;
    this.onState = onState;
    this.channels = [];
    this.names = { ...CHANNEL };
    this.unacknowledged = [];
    this.isClosed = false;
    this.retryMs = FIRST_RETRY_MS;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/horus/stream`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.retryMs = FIRST_RETRY_MS;
      this.send({ want: this.channels });
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
    if (typeof data === "string") {
      const message = JSON.parse(data);
      this.unacknowledged.push(message.channel);
      this.onText(message);
      return;
    }
    const view = new DataView(data);
    const kind = view.getUint8(0);
    const number = view.getUint32(4, true);
    this.unacknowledged.push(NUMBERED.has(kind) ? `${this.names[kind]}:${number}` : this.names[kind]);
    this.onBinary({ kind, number, time: view.getFloat64(8, true), data, offset: 16 });
  }

  // What was shown is acknowledged when it was drawn: a slow page gets fewer messages.
  acknowledge() {
    for (const channel of this.unacknowledged.splice(0)) this.send({ ack: channel });
  }

  want(channels) {
    this.channels = channels;
    this.send({ want: channels });
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
