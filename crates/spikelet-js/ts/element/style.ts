// The style of an element. A test checks that the colours of populations differ for people with colour vision deficiency (by at least 0.12
// in Oklab, simulated with the matrices of Machado, Oliveira & Fernandes 2009).

const CSS = `
:host {
  --_ink: var(--spikelet-ink, light-dark(#16181d, #ecebe7));
  --_muted: var(--spikelet-muted, light-dark(#5d636e, #9aa0a9));
  --_line: var(--spikelet-line, light-dark(#e6e6e2, #24282e));
  --_edge: var(--spikelet-edge, light-dark(#d3d3cd, #3a4048));
  --_background: var(--spikelet-background, light-dark(#ffffff, #0e1013));
  --_accent: var(--spikelet-accent, light-dark(#1f5fc4, #7cb0ff));
  --_on-accent: var(--spikelet-on-accent, light-dark(#ffffff, #0e1013));
  --_alert: var(--spikelet-alert, light-dark(#b42318, #ffb4a8));
  --_weights: var(--spikelet-weights, light-dark(#0f766e, #4fd1c1));
  --_excitatory: var(--spikelet-excitatory, light-dark(#1f5fc4, #7cb0ff));
  --_inhibitory: var(--spikelet-inhibitory, light-dark(#c2410c, #ff9361));
  --_other-1: var(--spikelet-other-1, light-dark(#720346, #fce179));
  --_other-2: var(--spikelet-other-2, light-dark(#2d99e1, #9e60fb));
  --_other-3: var(--spikelet-other-3, light-dark(#152e93, #cf59a0));
  --_other-4: var(--spikelet-other-4, light-dark(#fb6060, #47fafa));
  --_radius: var(--spikelet-radius, 8px);
  --_gap: var(--spikelet-gap, 12px);
  --_raster: var(--spikelet-raster-height, 220px);
  --_plot: var(--spikelet-plot-height, 120px);
  container-type: inline-size;
  display: block;
  border: 1px solid var(--_edge);
  border-radius: var(--_radius);
  background: var(--_background);
  color: var(--_ink);
  font: 400 .875rem/1.45 var(--spikelet-font, system-ui, sans-serif);
  font-variant-numeric: tabular-nums;
  text-align: start;
}
:host([hidden]), [hidden] { display: none !important; }
*, *::before, *::after { box-sizing: border-box; }
.base { padding: var(--_gap); display: grid; gap: var(--_gap); }

.toolbar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 8px; }
button {
  display: inline-flex; align-items: center; gap: 6px; min-height: 34px; padding: 0 14px; margin: 0;
  border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * .75); background: none; color: inherit;
  font: inherit; cursor: pointer;
}
button:hover { border-color: var(--_muted); }
button.main { min-width: 6.4em; border-color: transparent; background: var(--_accent); color: var(--_on-accent); font-weight: 600; }
button:focus-visible, summary:focus-visible, input:focus-visible, select:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
svg { width: 14px; height: 14px; fill: currentColor; flex: none; }
.figures { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 14px; margin-inline-start: 6px; }
.time b { display: inline-block; min-width: 3.2em; text-align: end; }
.pace, .device { color: var(--_muted); }
.device { margin-inline-start: auto; }

.stage { display: grid; }
.stage > * { grid-area: 1 / 1; min-width: 0; }
.plots { display: grid; align-content: start; gap: 6px; }
.plots.coming { min-height: calc(var(--_rasters, 0) * (var(--_raster) + 1.65rem) + var(--_others, 0) * (var(--_plot) + 1.65rem)); }
figure { margin: 0; min-width: 0; }
figcaption { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; color: var(--_muted); }
figcaption b { color: var(--_ink); font-weight: 600; }
.under { flex: 1 1 0; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.legend { display: flex; flex-wrap: wrap; gap: 0 2px; min-width: 0; color: var(--_ink); }
.legend > span { display: inline-flex; align-items: baseline; gap: 5px; padding: 0 5px; }
.legend button { gap: 5px; min-height: 24px; padding: 0 5px; border-color: transparent; }
.legend button[aria-pressed="false"] { color: var(--_muted); text-decoration: line-through; }
.legend button[aria-pressed="false"] .swatch { opacity: .35; }
.plots:has(> .rates) > .raster .legend { display: none; }
.swatch { align-self: center; width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 2.5; }
.tools { display: flex; align-items: center; gap: 8px; margin-inline-start: auto; }
.tools select { max-width: 16em; min-height: 24px; border: 1px solid var(--_edge); border-radius: 4px; background: var(--_background); color: var(--_ink); font: inherit; }
button.more { min-height: 24px; padding: 0 5px; border-color: transparent; color: var(--_muted); }
button.more:hover { color: var(--_ink); }
.plot-menu { width: max-content; min-width: 200px; max-width: min(320px, calc(100vw - 16px)); padding: 5px; border: 1px solid var(--_edge); border-radius: var(--_radius); background: var(--_background); color: var(--_ink); line-height: 1.35; }
.plot-menu button { display: grid; width: 100%; justify-items: start; min-height: 30px; padding: 4px 10px; border-color: transparent; text-align: start; }
.plot-menu i { grid-area: 1 / 2; font-style: normal; }
.plot-menu button[role="menuitemcheckbox"] { padding-inline-start: 28px; }
.plot-menu button[aria-checked="true"] > span::before { content: "✓"; position: absolute; margin-inline-start: -18px; }
.plot-menu button[aria-disabled="true"], .plot-menu small, .menu-group { color: var(--_muted); }
.menu-group { padding: 4px 10px 2px; font-size: .8125rem; font-weight: 600; }
.readout { position: absolute; top: 6px; right: 4px; display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 6px; max-width: calc(100% - 56px); pointer-events: none; }
.chip { display: inline-flex; align-items: center; gap: 6px; padding-inline-start: 10px; border: 1px solid var(--_edge); border-radius: 15px; background: var(--_background); font-size: .8125rem; pointer-events: auto; }
.chip button { min-height: 24px; padding: 0 9px; border-color: transparent; border-radius: 12px; font-weight: 600; }
canvas:focus-visible { outline: 2px solid var(--_accent); outline-offset: -2px; border-radius: 4px; }
canvas { display: block; width: 100%; height: var(--_plot); }
.raster canvas { height: min(var(--_raster), calc(var(--_neurons, 1) * 18px + 48px)); cursor: crosshair; }
.trace canvas { height: max(var(--_plot), calc(var(--_lanes, 1) * 64px + 24px)); }
.weights canvas { height: calc(2 * var(--_plot)); }
.sheet canvas { height: calc(2.6 * var(--_plot)); }
.matrix canvas { height: calc(2.4 * var(--_plot)); }
.delays canvas, .histogram canvas { height: calc(1.6 * var(--_plot)); }
canvas.turned { cursor: grab; touch-action: none; }
canvas.turned:active { cursor: grabbing; }
.canvas:has(.arrange) { position: relative; }
.arrange { position: absolute; inset: auto auto 8px 50%; translate: -50% 0; display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; width: max-content; max-width: calc(100% - 16px); padding: 6px 10px; border: 1px solid var(--_edge); border-radius: var(--_radius); background: var(--_background); }
.arrange input { width: 5.5em; height: 28px; cursor: auto; }
.isi canvas, .cv canvas, .correlation canvas, .spectrum canvas { height: max(var(--_plot), 150px); cursor: crosshair; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--_line); text-align: end; white-space: nowrap; }
th { color: var(--_muted); font-weight: 500; }
th:first-child { text-align: start; }
tbody th { color: var(--_ink); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 4px 0; }
dt { color: var(--_ink); }
dd { margin: 0; text-wrap: pretty; }
.bare canvas, .bare .cursor { display: none; }

.status { place-self: center; display: grid; justify-items: center; gap: 10px; max-width: 46ch; padding: 12px; text-align: center; text-wrap: pretty; }
.status progress { width: min(220px, 60cqi); height: 4px; border: 0; border-radius: 2px; overflow: hidden; background: var(--_line); accent-color: var(--_accent); }
progress::-webkit-progress-bar { background: var(--_line); }
progress::-webkit-progress-value, progress::-moz-progress-bar { background: var(--_accent); }
.failed { border: 1px solid var(--_edge); border-radius: var(--_radius); background: var(--_background); }
.wrong { margin: 0; overflow-wrap: anywhere; white-space: pre-line; color: var(--_alert); }

.parameters { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 230px), 1fr)); gap: 8px 24px; align-items: end; }
.parameters:empty { display: none; }
.parameters label { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 8px; }
.name { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; color: var(--_muted); }
.name code { margin-inline-end: 7px; color: var(--_ink); font: 500 .8125rem var(--spikelet-mono, ui-monospace, monospace); }
.value { font-weight: 600; }
input { grid-column: 1 / -1; width: 100%; height: 24px; margin: 0; accent-color: var(--_accent); cursor: pointer; }
.restore { justify-self: start; min-height: 30px; color: var(--_muted); }

details { color: var(--_muted); font-size: .8125rem; }
summary { width: fit-content; cursor: pointer; border-radius: 4px; }
details ul { margin: 4px 0 0; padding-inline-start: 1.2em; display: grid; gap: 4px; text-wrap: pretty; overflow-wrap: anywhere; }
li::first-letter, .stage-text::first-letter { text-transform: uppercase; }

.probe { position: absolute; width: 0; height: 0; overflow: hidden; font-size: max(11px, .6875rem); }
.probe i { transition: color 1ms; forced-color-adjust: none; }

@container (max-width: 420px) {
  .toolbar { display: grid; grid-template-columns: 1fr 1fr; }
  .toolbar > button { justify-content: center; }
  .figures { gap: 0 10px; margin-inline-start: 0; }
  .time b { min-width: 0; }
  .long { display: none; }
  .device { text-align: end; }
}
@media (forced-colors: active) {
  button.main { border-color: ButtonText; }
  .swatch { forced-color-adjust: none; }
}
`;

let sheet: CSSStyleSheet | undefined;

/** The style sheet shared by all elements. */
export function style(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}
