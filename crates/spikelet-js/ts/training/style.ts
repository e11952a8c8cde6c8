// The style of `<spikelet-training>`, beside the one that it shares with `<spikelet-network>`.

const CSS = `
p { margin: 0; }
button:disabled { opacity: .5; cursor: default; }
.training { display: grid; gap: var(--_gap); min-width: 0; }
.training > * { min-width: 0; }
.form { display: grid; gap: 8px; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr)); gap: 8px 14px; max-width: 1000px; }
.field { display: grid; gap: 3px; color: var(--_muted); font-size: .8125rem; }
select, input[type="text"], textarea { width: 100%; min-height: 36px; padding: 0 8px; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * .75); background: var(--_background); color: var(--_ink); font: inherit; cursor: auto; }
.field select, .field input { font-size: .9375rem; }
select:disabled, input:disabled, textarea:disabled { opacity: .65; }
textarea { padding: 8px; font: .8125rem/1.4 var(--spikelet-mono, ui-monospace, monospace); resize: vertical; white-space: pre; }
[aria-invalid="true"] { border-color: var(--_alert) !important; }
.note { color: var(--_muted); font-size: .8125rem; max-width: 100ch; text-wrap: pretty; }
.lab-status { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; min-height: 3.2em; padding: 10px 14px; border-radius: var(--_radius); background: color-mix(in oklab, var(--_accent) 8%, transparent); }
.said { flex: 1 1 30ch; text-wrap: pretty; }
.lab-status progress { flex: 1 1 120px; max-width: 320px; height: 6px; border: 0; border-radius: 3px; overflow: hidden; background: var(--_line); accent-color: var(--_accent); }
.lab-status progress::-webkit-progress-bar { background: var(--_line); }
.lab-status progress::-webkit-progress-value { background: var(--_accent); }
.lab-status progress::-moz-progress-bar { background: var(--_accent); }
.wrong:empty { display: none; }
.wrong, .notices { flex: 1 1 100%; }
.notices { margin: 0; padding-inline-start: 1.4em; text-wrap: pretty; }
.panels { display: grid; grid-template-columns: minmax(0, 1fr); gap: calc(var(--_gap) * 1.5) 28px; align-items: start; }
.panels section { display: grid; gap: var(--_gap); min-width: 0; }
figcaption { min-height: 26px; gap: 0 10px; }
.about { display: flex; flex-wrap: wrap; gap: 0 12px; color: var(--_muted); }
.key { display: inline-flex; align-items: center; gap: 5px; }
.line { width: 18px; }
.dot, .filled, .hollow { width: 10px; height: 10px; }
.dot { border-radius: 50%; }
.filled { background: var(--_weights); opacity: .6; }
.hollow { border: 1.5px solid var(--_ink); }
.right { color: var(--_weights); font-weight: 600; }
.false { color: var(--_alert); font-weight: 600; }
.accuracy canvas, .loss canvas { height: 190px; }
.raster canvas { height: 230px; cursor: default; }
.plane canvas { height: min(84cqi, 310px); }
.histogram canvas { height: 170px; }
.sample { display: flex; align-items: center; gap: 8px; color: var(--_muted); }
.sample select { width: auto; min-height: 30px; }
.tools select { width: auto; }
.json textarea { margin-top: 8px; }
.results button { min-height: 38px; }

@container (min-width: 760px) {
  .panels { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
  .panels .spikes { grid-column: 1 / -1; grid-template-columns: 1fr 1fr; gap: var(--_gap) 28px; }
  .spikes .sample { grid-column: 1 / -1; }
}
@container (min-width: 1250px) {
  .panels { grid-template-columns: minmax(0, 5fr) minmax(0, 3fr) minmax(0, 5fr); }
  .panels .spikes { grid-column: auto; grid-template-columns: minmax(0, 1fr); }
  .accuracy canvas, .loss canvas { height: 236px; }
}
@container (max-width: 420px) {
  .fields { grid-template-columns: 1fr 1fr; }
  .results { display: grid; grid-template-columns: 1fr; }
}
`;

let made: CSSStyleSheet | undefined;

/** The style sheet shared by all elements. */
export function sheet(): CSSStyleSheet {
  if (made === undefined) {
    made = new CSSStyleSheet();
    made.replaceSync(CSS);
  }
  return made;
}
