// What views with three.js share: renderer, sky and light, viewpoint, and the pointer that grabs handles.

import { CSS2DRenderer, THREE } from "nicegui-scene";
import { Environment } from "horus-view/environment.js";
import { viewBase } from "horus-view/view_base.js";
import { Viewpoint } from "horus-view/viewpoint.js";

/** Fineness of a picture where rendering is slow. */
export const COARSE = 0.75;
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;

/** Whether the browser draws without a graphics card. */
function isSoftware() {
  const probe = document.createElement("canvas").getContext("webgl2");
  const info = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return !probe || SOFTWARE.test(name);
}

export const threeBase = {
  mixins: [viewBase],

  beforeUnmount() {
    this.viewpoint.dispose();
    this.renderer.dispose();
  },

  methods: {
    setUpScene({ dark, quality = "auto", exposure = 1 }) {
      const canvas = this.$refs.canvas;
      this.low = quality === "auto" ? isSoftware() : quality === "low";
      canvas.dataset.quality = this.low ? "low" : "high";
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.low });
      this.renderer.shadowMap.enabled = !this.low;
      this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
      this.renderer.toneMapping = THREE.NeutralToneMapping;
      this.renderer.toneMappingExposure = exposure;
      this.labelRenderer = new CSS2DRenderer({ element: this.$refs.labels });
      this.world = new THREE.Scene();
      this.environment = new Environment(this.world, dark, this.low);
      this.viewpoint = new Viewpoint(canvas, () => { this.needsDraw = true; });
      canvas.addEventListener("pointerdown", this.pointerDown, { capture: true });
      canvas.addEventListener("pointermove", this.pointerMove);
      canvas.addEventListener("pointerup", this.pointerUp);
      canvas.addEventListener("pointercancel", this.pointerCancel);
    },

    resize() {
      const { clientWidth: width, clientHeight: height } = this.$el;
      if (!width || !height) return;
      this.size = [width, height];
      this.setFineness(this.low ? COARSE : Math.min(window.devicePixelRatio, 2));
      this.labelRenderer.setSize(width, height);
      this.viewpoint.resize(width, height);
      this.needsDraw = true;
    },

    /** How many pixels a picture has for one of the screen. */
    setFineness(ratio) {
      if (this.fineness === ratio && this.fineSize === this.size) return;
      this.fineness = ratio;
      this.fineSize = this.size;
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(...this.size, false);
    },

    /** Whether software rendering, which is slow, has made a picture less than `ms` ago. */
    isEarly(now, ms) {
      return this.low && now - (this.drawnAt ?? 0) < ms;
    },

    renderScene(now) {
      this.needsDraw = false;
      this.drawnAt = now;
      this.environment.follow(this.viewpoint.camera);
      this.renderer.render(this.world, this.viewpoint.camera);
    },

    renderLabels() {
      this.labelRenderer.render(this.world, this.viewpoint.camera);
    },

    /** A handle was grabbed: the pointer moves that, and not the viewpoint. */
    capture(event) {
      this.viewpoint.setEnabled(false);
      this.$refs.canvas.setPointerCapture(event.pointerId);
      event.stopImmediatePropagation();
    },
  },
};
