// The style of `<spikelet-gpu-report>`, beside the one that it shares with `<spikelet-network>`.

const CSS = `
p, h2 { margin: 0; }
h2 { font-size: 1rem; font-weight: 600; }
.report, .results { display: grid; gap: calc(var(--_gap) * 1.5); min-width: 0; }
.report > *, .results > * { min-width: 0; }
section { display: grid; gap: 8px; align-content: start; }
.lab-status { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; min-height: 3.2em; padding: 10px 14px; border-radius: var(--_radius); background: color-mix(in oklab, var(--_accent) 8%, transparent); }
.said { flex: 1 1 30ch; max-width: 110ch; text-wrap: pretty; overflow-wrap: anywhere; }
.lab-status progress { flex: 1 1 120px; max-width: 320px; height: 6px; border: 0; border-radius: 3px; overflow: hidden; background: var(--_line); accent-color: var(--_accent); }
.lab-status progress::-webkit-progress-bar { background: var(--_line); }
.lab-status progress::-webkit-progress-value { background: var(--_accent); }
.lab-status progress::-moz-progress-bar { background: var(--_accent); }
.wrong:empty { display: none; }
.wrong { flex: 1 1 100%; }
.note { max-width: 100ch; color: var(--_muted); font-size: .8125rem; text-wrap: pretty; overflow-wrap: anywhere; }
.software { max-width: 100ch; padding: 8px 12px; border-inline-start: 3px solid var(--_alert); text-wrap: pretty; }
dl { grid-template-columns: minmax(0, max-content) minmax(0, 1fr); }
dt { color: var(--_muted); }
dd { overflow-wrap: anywhere; }
th, td { vertical-align: baseline; }
tbody th { text-align: start; font-weight: 500; }
.of-operations tbody th { white-space: normal; }
.of-networks td:last-child, .of-networks th:last-child, .of-operations td:last-child, .of-operations th:last-child { width: 100%; text-align: start; white-space: normal; overflow-wrap: anywhere; }
.of-operations :is(th, td):last-child { overflow-wrap: break-word; }
.differs td, .differs th { color: var(--_alert); }
.speed { display: inline-grid; justify-items: end; }
.speed small { color: var(--_muted); font-size: .75rem; }
.why { max-width: 40ch; color: var(--_alert); font-size: .8125rem; text-align: start; white-space: normal; overflow-wrap: anywhere; }
code { font: .8125rem var(--spikelet-mono, ui-monospace, monospace); }
summary { min-height: 24px; }
details table { margin-top: 6px; color: var(--_ink); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

@container (min-width: 900px) {
  .results { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); align-items: start; }
  .results .of-operations { grid-column: 1 / -1; }
}
@container (max-width: 420px) {
  th, td { padding-inline-end: 8px; }
  .toolbar > .save { grid-column: 1 / -1; }
}
`;

let made: CSSStyleSheet | undefined;

/** The style sheet shared by all of these elements. */
export function sheet(): CSSStyleSheet {
  if (made === undefined) {
    made = new CSSStyleSheet();
    made.replaceSync(CSS);
  }
  return made;
}
