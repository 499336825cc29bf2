"""How the pages look: colours and rules for all of them, in light and dark."""

from __future__ import annotations

COLORS = {
    "primary": "#2f6fed",
    "secondary": "#4b5768",
    "accent": "#7c4dff",
    "dark": "#171c24",
    "dark_page": "#10141a",
    "positive": "#1e8e3e",
    "negative": "#d33b2c",
    "warning": "#e8930c",
}

STYLE = """
body { --edge: rgba(20,30,50,.13); --soft: rgba(20,30,50,.05); --faint: #5d6878; }
body.body--dark { --edge: rgba(255,255,255,.13); --soft: rgba(255,255,255,.06); --faint: #9aa5b5; }
.nicegui-content { padding: 0; gap: 0; }
.horus-main { height: calc(100dvh - 48px); width: 100%; }
.horus-header { height: 48px; background: #131a24; color: #fff; padding: 0 8px 0 14px; }
.horus-brand { font-weight: 600; letter-spacing: .01em; margin-right: 14px; white-space: nowrap; }
.horus-tab { border-radius: 0; height: 48px; padding: 0 12px; opacity: .7;
  border-bottom: 3px solid transparent; }
.horus-tab.here { opacity: 1; border-bottom-color: #5b93ff; }
.horus-bar { min-height: 48px; padding: 4px 12px; column-gap: 12px; row-gap: 2px; width: 100%;
  border-bottom: 1px solid var(--edge); }
.horus-group { display: flex; align-items: center; flex-wrap: nowrap; gap: 2px; }
.horus-rule { width: 1px; height: 22px; background: var(--edge); margin: 0 4px; }
.horus-number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.horus-fact { font-variant-numeric: tabular-nums; font-size: 12px; color: var(--faint);
  white-space: nowrap; }
.horus-hint { font-size: 12px; line-height: 1.45; color: var(--faint); }
.horus-mode { width: 34px; height: 32px; }
.horus-mode.on { background: var(--q-primary); }
.horus-mode.on .q-icon { color: #fff; }
.horus-choice { border: 1px solid var(--edge); border-radius: 5px; overflow: hidden; }
.horus-choice .q-btn { padding: 0 10px; min-height: 30px; font-size: 13px; }
.horus-view { position: relative; width: 100%; height: 100%; overflow: hidden; }
.horus-view canvas { width: 100%; height: 100%; display: block; outline: none; touch-action: none; }
.horus-labels { position: absolute; inset: 0; pointer-events: none; }
.horus-frame-label span { display: block; font: 11px/15px ui-monospace, monospace; color: #fff;
  background: rgba(12,18,28,.72); padding: 0 5px; border-radius: 3px; position: relative;
  top: -13px; white-space: nowrap; }
.horus-pad { position: absolute; left: 16px; bottom: 16px; width: 112px; height: 112px;
  border-radius: 50%; background: rgba(16,22,32,.28); border: 1.5px solid rgba(255,255,255,.6);
  touch-action: none; display: flex; align-items: center; justify-content: center;
  cursor: grab; user-select: none; }
.horus-knob { width: 44px; height: 44px; border-radius: 50%; background: rgba(255,255,255,.9);
  box-shadow: 0 1px 5px rgba(0,0,0,.35); pointer-events: none; }
.horus-lost { position: absolute; top: 12px; left: 50%; transform: translateX(-50%);
  background: #c62828; color: #fff; padding: 6px 14px; border-radius: 6px; font-size: 13px;
  white-space: nowrap; }
.horus-drop { position: absolute; inset: 10px; border: 2px dashed #5b93ff; border-radius: 10px;
  background: rgba(47,111,237,.16); display: flex; align-items: center; justify-content: center;
  color: #fff; font-weight: 500; text-shadow: 0 1px 4px #000; pointer-events: none; }
.horus-drawer.q-drawer, .horus-drawer .q-drawer__content { padding: 0; gap: 0; }
.horus-drawer .q-expansion-item { border-bottom: 1px solid var(--edge); }
.horus-drawer .q-expansion-item .q-item { min-height: 42px; padding: 0 12px 0 14px; }
.horus-drawer .q-item__section--avatar { min-width: 0; padding-right: 10px; }
.horus-drawer .q-item__section--avatar .q-icon { font-size: 20px; color: var(--faint); }
.horus-drawer .q-expansion-item__content { padding: 2px 14px 14px; }
.horus-drawer .q-expansion-item__content > div { padding: 0; gap: 10px; }
.horus-drawer .q-field--with-bottom { padding-bottom: 0; }
.horus-drawer .q-field__bottom { position: static; transform: none; padding: 3px 0 0;
  min-height: 0; }
.horus-drawer .q-field--outlined .q-field__control { padding: 0 9px; }
.horus-table { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 3px 12px;
  width: 100%; font-size: 12.5px; }
.horus-table > :nth-child(odd) { color: var(--faint); }
.horus-table > :nth-child(even) { text-align: right; }
.horus-card { width: 100%; border: 1px solid var(--edge); border-radius: 6px; padding: 8px 10px;
  gap: 4px; }
.horus-card img { width: 100%; min-height: 60px; background: #10141a; border-radius: 4px;
  display: block; }
.horus-tree { font-size: 12.5px; }
.horus-tree pre { margin: 0; font: 12px/1.5 ui-monospace, monospace; overflow-x: auto; }
.horus-tree i { color: var(--faint); font-style: normal; }
.horus-tree .bad { color: var(--q-negative); font-weight: 600; }
.horus-tree .fine { color: var(--q-positive); }
body.body--dark .horus-tree .bad { color: #ff7062; }
body.body--dark .horus-tree .fine { color: #5fd47e; }
.horus-log { width: 100%; height: 150px; font: 11.5px/1.5 ui-monospace, monospace;
  border: 1px solid var(--edge); border-radius: 6px; }
.horus-side { flex: 1 1 360px; max-height: 100%; overflow: auto; padding: 14px; gap: 12px;
  border-right: 1px solid var(--edge); }
@media (max-width: 599px) { .horus-bar { padding: 4px 8px; column-gap: 6px; }
  .horus-pad { width: 128px; height: 128px; } }
@media (max-width: 799px) {
  .horus-header { padding: 0 2px; } .horus-header > .nicegui-row:last-child { flex-shrink: 0; }
  .horus-header [role=tablist] { flex: 0 1 auto; min-width: 0; overflow-x: auto;
    scrollbar-width: none; }
  .horus-tab { padding: 0 3px; min-width: 30px; flex: 0 0 auto; }
  .horus-tab .block { font-size: 0; }  /* Quasar insists on displaying it */
  .horus-tab .q-icon { margin: 0 !important; } }
"""
