// The style of `<spikelet-experiments>`, beside the one that it shares with the other elements.

const CSS = `
:host { border: 0; }
p { margin: 0; }
button:disabled { opacity: .5; cursor: default; }
.tabs { display: flex; flex-wrap: wrap; gap: 4px; border-bottom: 1px solid var(--_line); }
.tabs button { border-color: transparent; border-radius: calc(var(--_radius) * .75) calc(var(--_radius) * .75) 0 0; color: var(--_muted); }
.tabs button[aria-selected="true"] { color: var(--_ink); font-weight: 600; box-shadow: inset 0 -2px var(--_accent); }
section, .form, .tables { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; min-width: 0; }
.both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); gap: 10px 20px; }
fieldset { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: 6px; min-width: 0; margin: 0; padding: 6px 12px 10px; border: 1px solid var(--_line); border-radius: var(--_radius); }
fieldset > button { justify-self: start; }
legend { padding: 0 4px; color: var(--_muted); font-size: .8125rem; }
.range { display: grid; grid-template-columns: repeat(auto-fit, minmax(72px, 1fr)); gap: 6px 10px; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 150px), 1fr)); gap: 8px 14px; align-items: end; }
.field { display: grid; gap: 3px; min-width: 0; color: var(--_muted); font-size: .8125rem; }
select, input[type="text"] { grid-column: auto; width: 100%; min-width: 0; height: auto; min-height: 34px; padding: 0 8px; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * .75); background: var(--_background); color: var(--_ink); font: inherit; font-size: .875rem; cursor: auto; }
[aria-invalid="true"] { border-color: var(--_alert) !important; }
.unit, .note { color: var(--_muted); font-size: .8125rem; text-wrap: pretty; }
.hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.status-line { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; }
.status-line:not(:has(button, .said:not(:empty), .wrong:not(:empty))) { display: none; }
.said { flex: 1 1 24ch; text-wrap: pretty; }
.status-line progress { flex: 1 1 120px; max-width: 280px; height: 6px; border: 0; border-radius: 3px; overflow: hidden; background: var(--_line); accent-color: var(--_accent); }
.wrong { flex: 1 1 100%; }
.wrong:empty { display: none; }
.toolbar button { min-height: 30px; padding: 0 10px; }
.about { color: var(--_muted); }
.curve canvas, .neuron-curve canvas, .rates canvas { height: 260px; cursor: crosshair; }
.heat canvas { height: 320px; cursor: pointer; }
.curve canvas { cursor: pointer; }
.under-chart { display: block; min-height: 1.5em; color: var(--_ink); }
.kept { display: grid; gap: 6px; margin: 0; padding: 0; list-style: none; }
.kept li { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; }
.kept input[type="text"] { width: 14em; }
.kept button { min-height: 30px; }
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
