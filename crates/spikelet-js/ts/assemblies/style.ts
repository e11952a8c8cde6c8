// The style of `<spikelet-assemblies>`, beside the one that it shares with `<spikelet-network>`.

const CSS = `
.tabs { display: flex; gap: 4px; border-bottom: 1px solid var(--_edge); }
.tabs button { border: 0; border-bottom: 2px solid transparent; border-radius: 0; margin-bottom: -1px; color: var(--_muted); font-weight: 600; }
.tabs button[aria-selected="true"] { border-color: var(--_accent); color: var(--_ink); }
.lab, .reading { display: grid; gap: var(--_gap); min-width: 0; }
.lab > *, .reading > * { min-width: 0; }
p { margin: 0; }
button:disabled { opacity: .5; cursor: default; }
.operations { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 8px; }
.operations button { justify-content: center; padding: 0 8px; }
.scene canvas { height: clamp(300px, 42cqi, 500px); }
.lab-side { display: grid; gap: var(--_gap); align-content: start; min-width: 0; }
.note { color: var(--_muted); font-size: .8125rem; margin-top: calc(var(--_gap) / -2); }
@container (min-width: 1250px) { .operations { grid-template-columns: repeat(8, minmax(0, 1fr)); } }
@container (min-width: 1000px) {
  .lab { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
  .lab > * { grid-column: 1 / -1; }
  .lab > .lab-stage { grid-column: 1; }
  .lab > .lab-side { grid-column: 2; }
}
.now { color: var(--_muted); min-height: 2.9em; text-wrap: pretty; }
.lab-status { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; min-height: 3.2em; padding: 10px 14px; border-radius: var(--_radius); background: color-mix(in oklab, var(--_accent) 8%, transparent); }
.said { flex: 1 1 30ch; text-wrap: pretty; }
.lab-status progress { width: 90px; }
.wrong:empty { display: none; }
.own { display: grid; gap: 8px; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin-bottom: 6px; color: var(--_muted); }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
.chip { display: inline-flex; align-items: center; gap: 6px; min-height: 30px; padding: 0 10px; border: 1px solid var(--_edge); border-radius: 15px; white-space: nowrap; cursor: pointer; }
.chip:has(:checked) { border-color: var(--_accent); background: color-mix(in oklab, var(--_accent) 12%, transparent); }
.chip input { width: auto; height: auto; grid-column: auto; }
.pace-of { color: var(--_muted); }
select, input[type="text"] { min-height: 34px; padding: 0 8px; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * .75); background: var(--_background); color: var(--_ink); font: inherit; }
[aria-invalid="true"] { border-color: var(--_alert) !important; }
.lab-plots { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--_gap) 24px; align-items: start; }
.matrix { display: grid; gap: var(--_gap); }
.matrix:empty { display: none; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .8125rem; }
caption { padding-bottom: 4px; color: var(--_muted); text-align: start; white-space: nowrap; }
th, td { padding: 4px 9px; border: 1px solid var(--_line); text-align: end; white-space: nowrap; }
th { font-weight: 500; text-align: start; }
td { background: color-mix(in oklab, var(--_accent) var(--_share, 0%), transparent); }
.dot { display: inline-block; width: 9px; height: 9px; margin-inline-end: 6px; border-radius: 50%; }
.line { display: inline-block; align-self: center; width: 18px; }
.support canvas { height: 150px; }
.numbers { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 270px), 1fr)); gap: 10px 24px; align-items: start; }
.number { display: grid; grid-template-columns: minmax(0, 1fr) 84px; align-items: center; gap: 0 8px; }
.number input[type="text"] { grid-column: 2; height: 30px; min-height: 30px; text-align: end; }
.number .wrong { grid-column: 1 / -1; }
.ask { display: grid; grid-template-columns: auto minmax(0, 1fr) auto auto; align-items: center; gap: 8px; margin: 0; }
.ask input { grid-column: auto; height: 38px; font-size: 1rem; }
.ask label { color: var(--_muted); }
.ask select, .ask button { min-height: 38px; }
.ask button { justify-content: center; }
.reading .wrong::first-letter { text-transform: uppercase; }
.example { min-height: 30px; padding: 0 10px; border-radius: 15px; color: var(--_muted); }
.lexicon dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 14px; margin: 6px 0 0; }
.lexicon dd { margin: 0; color: var(--_ink); }
.words { display: flex; flex-wrap: wrap; gap: 8px; }
.word-of { display: inline-grid; gap: 0; justify-items: start; min-height: 48px; padding: 4px 12px; border: 1px solid var(--_edge); border-bottom: 3px solid var(--_colour, var(--_edge)); border-radius: 6px; }
span.word-of { min-height: 34px; align-items: center; }
.word-of small { color: var(--_muted); font-size: .75rem; }
.word-of[aria-pressed="true"] { background: color-mix(in oklab, var(--_colour) 16%, transparent); border-color: var(--_colour); }
.wrong-word { border-color: var(--_alert); color: var(--_alert); text-decoration: underline wavy; }
.tree { display: grid; gap: 8px; }
.tree svg { width: auto; height: auto; max-width: none; fill: none; display: block; margin-inline: auto; }
.arc { fill: none; stroke: var(--_accent); stroke-width: 1.6; }
.tip { fill: var(--_accent); }
.tree text { text-anchor: middle; fill: var(--_ink); font-size: 14px; }
.tree .role { fill: var(--_muted); font-size: 11px; }
.tree .root { font-weight: 700; }
.dependencies { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0; padding: 0; list-style: none; color: var(--_muted); }
.dependencies b { color: var(--_ink); font-weight: 600; }
.dependencies li::first-letter { text-transform: none; }

@container (max-width: 560px) {
  .operations { grid-template-columns: 1fr 1fr; }
  .operations button { font-size: .8125rem; }
  .scene canvas { height: 118cqi; }
  .reading .scene canvas { height: 130cqi; }
  .toolbar { display: flex; }
  .ask { grid-template-columns: minmax(0, 1fr) auto; }
  .ask label, .ask input { grid-column: 1 / -1; }
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
