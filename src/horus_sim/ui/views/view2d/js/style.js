// Colours of the view in light and dark; put into the page once.

const CSS = `
.h2d { width: 100%; height: 100%; position: relative; overflow: hidden; --bg: #fafbfc; --grid: #e6eaee;
  --grid-major: #cfd6dd; --wall: #78828c; --rim: #00000026; --ink: #37424d; --label: #37424d; --halo: #ffffffd0; }
.body--dark .h2d { --bg: #2a3139; --grid: #333b44; --grid-major: #434d58; --wall: #8b96a1; --rim: #ffffff26; --ink: #b6c2cd;
  --label: #dbe3ea; --halo: #2a3139d0; }
.h2d svg { width: 100%; height: 100%; display: block; background: var(--bg); touch-action: none; outline: none;
  user-select: none; cursor: grab; }
.h2d svg.h2d-can-drag { cursor: move; }
.h2d svg.h2d-top { position: absolute; inset: 0; background: none; pointer-events: none; }
.h2d-top .h2d-handle { pointer-events: auto; }
.h2d-crowd { position: absolute; left: 0; top: 0; pointer-events: none; }
.h2d svg:focus-visible { box-shadow: inset 0 0 0 2px var(--q-primary); }
.h2d svg.h2d-panning, .h2d svg.h2d-dragging { cursor: grabbing; }
.h2d svg.h2d-drawing { cursor: crosshair; }
.h2d [vector-effect], .h2d-shape, .h2d-heading, .h2d-nose, .h2d-ray, .h2d-hit, .h2d-trace, .h2d-push, .h2d-axes,
.h2d-ring, .h2d-chip, .h2d-joint-line, .h2d-joint-dot, .h2d-wheel { vector-effect: non-scaling-stroke; }
.h2d-grid-minor { stroke: var(--grid); fill: none; }
.h2d-grid-major { stroke: var(--grid-major); fill: none; }
.h2d-shape { stroke: var(--ink); stroke-width: 1.2; stroke-linejoin: round; }
.h2d-fixed > .h2d-shape { stroke-dasharray: none; opacity: .95; }
.h2d-patch > .h2d-shape { stroke: none; fill-opacity: .85; }
.h2d-mark, .h2d-wall, .h2d-rim { fill: none; }
.h2d-rim { stroke: var(--rim); }
.h2d-mark, .h2d-rim { stroke-linecap: round; stroke-linejoin: round; }
.h2d-wall { stroke: var(--wall); stroke-linecap: square; stroke-linejoin: miter; }
.h2d-bounds { fill: none; stroke: var(--wall); pointer-events: stroke; }
.h2d-heading, .h2d-nose { stroke: #fff; stroke-width: 1.6; fill: none; stroke-opacity: .8; stroke-linecap: round;
  stroke-linejoin: round; pointer-events: none; }
.h2d-wheel { fill: #22282e; stroke: #0b0e11; stroke-width: .8; }
.h2d-push { stroke: #00c853; stroke-width: 2.5; stroke-linecap: round; pointer-events: none; }
.h2d-dot { fill: #263238; stroke: #fff; stroke-width: .6; vector-effect: non-scaling-stroke; }
.h2d-ray { stroke: #ff7043; stroke-width: 1; stroke-opacity: .55; fill: none; pointer-events: none; }
.h2d-hit { stroke: #d84315; stroke-width: 5; stroke-linecap: round; fill: none; pointer-events: none; }
.h2d-eye { fill: #ff7043; }
.h2d-chip { fill: #455a64; stroke: #eceff1; stroke-width: .8; }
.h2d-axes { stroke: #fff; stroke-width: 1; fill: none; pointer-events: none; }
.h2d-ring { fill: none; stroke: #ffd54f; stroke-width: 1.6; }
.h2d-joint-line { stroke: #ab47bc; stroke-width: 2; }
.h2d-joint-dot { fill: #ab47bc; stroke: #fff; stroke-width: 1; }
.h2d-trace { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; stroke-opacity: .85;
  pointer-events: none; }
.h2d-selected > .h2d-shape, .h2d-selected > .h2d-wheel, .h2d-selected > .h2d-chip { stroke: #ffab00; stroke-width: 3; }
.h2d-selected > polyline { stroke: #ffab00; }
.h2d-selected > .h2d-dot, .h2d-selected > .h2d-ring { stroke: #ffab00; stroke-width: 2; }
.h2d-can-drag { cursor: move; }
.h2d-label { font: 500 12px Roboto, sans-serif; fill: var(--label); paint-order: stroke; stroke: var(--halo);
  stroke-width: 3px; text-anchor: middle; pointer-events: none; }
.h2d-handle { fill: #fff; stroke: #ffab00; stroke-width: 2; cursor: pointer; }
.h2d-handle-middle { fill: #ffab00; opacity: .6; }
.h2d-handle-turn { fill: #ffab00; stroke: #fff; cursor: alias; }
.h2d-stem { stroke: #ffab00; stroke-width: 1.5; stroke-dasharray: 3 3; pointer-events: none; }
.h2d-drawing .h2d-handle, .h2d-drawing .h2d-stem { display: none; }
.h2d-hide-rays .h2d-ray, .h2d-hide-rays .h2d-hit, .h2d-hide-trace .h2d-trace, .h2d-hide-devices .h2d-device,
.h2d-hide-grid .h2d-grid, .h2d-hide-labels .h2d-label { display: none; }
.h2d-scale { position: absolute; right: 12px; bottom: 10px; font: 11px Roboto, sans-serif; color: var(--label);
  text-align: center; pointer-events: none; }
.h2d-scale > div { border: 1.5px solid var(--label); border-top: none; height: 5px; }
.h2d-where { position: absolute; left: 12px; bottom: 10px; font: 11px Roboto, sans-serif; color: var(--label);
  font-variant-numeric: tabular-nums; pointer-events: none; background: var(--halo); padding: 0 4px; border-radius: 3px; }
`;

export function addStyle() {
  if (document.getElementById("h2d-style")) return;
  const style = document.createElement("style");
  style.id = "h2d-style";
  style.textContent = CSS;
  document.head.appendChild(style);
}
