// Lines over time: a canvas that shows the newest message of a channel.

import { viewBase } from "horus-view/view_base.js";
import { rangeOf, ticks } from "horus-view/axis.js";

const COLORS = ["#1e88e5", "#e53935", "#43a047", "#fb8c00", "#8e24aa", "#00acc1"];
const LEFT = 46;
const BOTTOM = 18;
const TOP = 6;
const RIGHT = 8;

export default {
  mixins: [viewBase],
  template: `
    <div style="display:flex;flex-direction:column">
      <canvas ref="canvas" role="img" :aria-label="label" style="width:100%;flex:1;min-height:0"
              @pointermove="hover" @pointerleave="pointer = null; draw()"></canvas>
      <div style="display:flex;flex-wrap:wrap;gap:2px 12px;font-size:11px;font-variant-numeric:tabular-nums">
        <span v-for="(entry, k) in legend" :key="entry.name">
          <span :style="{ color: colors[k % colors.length] }">&#9632;</span> {{ entry.name }} {{ entry.value }}
        </span>
      </div>
    </div>`,
  props: { channel: { type: String, default: "" }, label: String },
  data: () => ({ legend: [], pointer: null, colors: COLORS }),

  mounted() {
    this.plot = null;
    if (this.channel) this.connect({ [this.channel]: this.show });
    this.watchSize(this.$refs.canvas);
    this.animate();
  },

  methods: {
    // Called with the messages of the channel, or by the server.
    show(plot) {
      this.plot = plot;
      this.isNew = true;
    },

    tick() {
      if (!this.isNew) return;
      this.isNew = false;
      this.draw();
      this.connection?.acknowledge();
    },

    resize() {
      this.draw();
    },

    hover(event) {
      this.pointer = event.offsetX;
      this.draw();
    },

    draw() {
      const canvas = this.$refs.canvas;
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (!width || !height) return;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      // Drawn by the processor: plots must not wait for a GPU that is busy with the 3D view.
      const pen = canvas.getContext("2d", { willReadFrequently: true });
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      const ink = getComputedStyle(canvas).color;
      pen.font = "10px Roboto, sans-serif";
      if (!this.plot || !this.plot.time.length || !this.plot.names.length) {
        pen.fillStyle = ink;
        pen.textAlign = "center";
        pen.fillText("Choose signals and let time run", width / 2, height / 2);
        this.legend = [];
        return;
      }
      this.drawLines(pen, width, height, ink);
    },

    drawLines(pen, width, height, ink) {
      const { time, values, names, window: span = Infinity } = this.plot;
      const end = time[time.length - 1];
      const begin = Math.max(time[0], end - span);
      const seconds = Math.max(end - begin, 0.5);
      const [low, high] = rangeOf(values.flat());
      const x = (t) => LEFT + ((t - begin) / seconds) * (width - LEFT - RIGHT);
      const y = (v) => TOP + ((high - v) / (high - low)) * (height - TOP - BOTTOM);
      this.drawAxes(pen, { width, height, ink, low, high, begin, seconds, x, y });
      values.forEach((line, k) => {
        pen.strokeStyle = COLORS[k % COLORS.length];
        pen.lineWidth = 1.5;
        pen.beginPath();
        line.forEach((value, i) => {
          if (!Number.isFinite(value)) return;
          if (Number.isFinite(line[i - 1])) pen.lineTo(x(time[i]), y(value));
          else pen.moveTo(x(time[i]), y(value));
        });
        pen.stroke();
      });
      let index = time.length - 1;
      if (this.pointer !== null) {
        const at = begin + ((this.pointer - LEFT) / (width - LEFT - RIGHT)) * seconds;
        const later = time.findIndex((t) => t >= at);
        index = later < 0 ? index : later;
        pen.strokeStyle = ink;
        pen.globalAlpha = 0.5;
        pen.lineWidth = 1;
        pen.strokeRect(x(time[index]), TOP, 0, height - TOP - BOTTOM);
        pen.globalAlpha = 1;
      }
      this.legend = names.map((name, k) => ({ name, value: values[k][index]?.toFixed(3) ?? "" }));
      this.$refs.canvas.dataset.samples = time.length;
    },

    drawAxes(pen, { width, height, ink, low, high, begin, seconds, x, y }) {
      pen.strokeStyle = ink;
      pen.fillStyle = ink;
      pen.lineWidth = 0.5;
      const line = (x1, y1, x2, y2) => {
        pen.globalAlpha = 0.25;
        pen.beginPath();
        pen.moveTo(x1, y1);
        pen.lineTo(x2, y2);
        pen.stroke();
        pen.globalAlpha = 0.8;
      };
      pen.textAlign = "right";
      for (const v of ticks(low, high, 5)) {
        line(LEFT, y(v), width - RIGHT, y(v));
        pen.fillText(Number(v.toPrecision(4)) + 0, LEFT - 4, y(v) + 3);
      }
      pen.textAlign = "center";
      for (const t of ticks(begin, begin + seconds, 6)) {
        line(x(t), TOP, x(t), height - BOTTOM);
        pen.fillText(`${Number(t.toPrecision(6))} s`, x(t), height - 5);
      }
      pen.globalAlpha = 1;
    },
  },
};
