// What all views share: the connection, their size, the loop that draws, and files that are dropped onto them.

import { Connection } from "horus-view/connection.js";

export const viewBase = {
  props: { uploader: { type: Number, default: 0 } },
  data: () => ({ isConnected: true, isOver: false }),

  beforeUnmount() {
    this.isGone = true;
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

    drop(event) {
      this.isOver = false;
      const files = [...event.dataTransfer.files];
      if (files.length && this.uploader) getElement(this.uploader).$refs.qRef.addFiles(files);
    },
  },
};
