// What all views share: the connection, their size, the loop that draws, unsaved work, and files that are dropped onto
// them.

import { Connection } from "horus-view/connection.js";

export const viewBase = {
  props: { uploader: { type: Number, default: 0 }, unsaved: { type: Boolean, default: false } },
  data: () => ({ isConnected: true, isOver: false }),

  mounted() {
    window.addEventListener("beforeunload", this.warn);
  },

  beforeUnmount() {
    this.isGone = true;
    window.removeEventListener("beforeunload", this.warn);
    cancelAnimationFrame(this.handle);
    this.observer?.disconnect();
    this.connection?.close();
  },

  methods: {
    /** Opens the connection with listeners by channel. */
    connect(listeners) {
      this.connection = new Connection((isOpen) => { this.isConnected = isOpen; });
      this.connection.listen(listeners);
    },

    /** Calls `resize` now, and whenever the element has another size. */
    watchSize(element = this.$el) {
      this.observer = new ResizeObserver(() => this.resize());
      this.observer.observe(element);
      this.resize();
    },

    /** Calls `tick` with the time [ms] for each picture of the screen. */
    animate() {
      this.handle = requestAnimationFrame(this.animate);
      this.tick(performance.now());
    },

    // The browser asks before it closes a page with unsaved work.
    warn(event) {
      if (this.unsaved) event.preventDefault();
    },

    drop(event) {
      this.isOver = false;
      const files = [...event.dataTransfer.files];
      if (files.length && this.uploader) getElement(this.uploader).$refs.qRef.addFiles(files);
    },
  },
};
