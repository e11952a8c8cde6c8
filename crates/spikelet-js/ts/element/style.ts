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
figure { margin: 0; }
figcaption { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; color: var(--_muted); }
figcaption b { color: var(--_ink); font-weight: 600; }
.under { flex: 1 1 0; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.legend { display: flex; flex-wrap: wrap; gap: 0 12px; min-width: 0; color: var(--_ink); }
.legend > span { display: inline-flex; align-items: baseline; gap: 5px; }
.swatch { align-self: center; width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 2.5; }
.tools { display: flex; align-items: center; gap: 8px; margin-inline-start: auto; }
.tools select { max-width: 16em; min-height: 24px; border: 1px solid var(--_edge); border-radius: 4px; background: var(--_background); color: var(--_ink); font: inherit; }
button.save { min-height: 24px; padding: 0 5px; border-color: transparent; color: var(--_muted); }
button.save:hover { color: var(--_ink); }
canvas { display: block; width: 100%; height: var(--_plot); }
.raster canvas { height: min(var(--_raster), calc(var(--_neurons, 1) * 18px + 48px)); cursor: crosshair; }
.trace canvas { height: max(var(--_plot), calc(var(--_lanes, 1) * 64px + 24px)); }
.weights canvas { height: calc(2 * var(--_plot)); }
.bare canvas, .bare .save { display: none; }

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
.probe i { transition: color 1ms; }

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
