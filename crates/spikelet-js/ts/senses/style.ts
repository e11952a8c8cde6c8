// The style of `<spikelet-senses>`, beside the one that it shares with `<spikelet-network>`.

const CSS = `
p { margin: 0; }
.base { padding: 0; }
button:disabled { opacity: .5; cursor: default; }
.lead, .note { color: var(--_muted); text-wrap: pretty; }
.fields { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr) minmax(0, 1fr); gap: 8px; }
.field { display: grid; gap: 3px; color: var(--_muted); font-size: .8125rem; }
select, input[type="number"], textarea { width: 100%; min-height: 34px; padding: 0 8px; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * .75); background: var(--_background); color: var(--_ink); font: inherit; cursor: auto; }
textarea { padding: 6px 8px; resize: vertical; }
.sources { display: grid; gap: 10px; padding: 0; margin: 0; list-style: none; }
.sources > li { display: grid; gap: 8px; padding: 10px 12px; border: 1px solid var(--_edge); border-radius: var(--_radius); }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; }
.row b { min-width: 7em; }
.row button { margin-inline-start: auto; }
.on { display: inline-flex; align-items: center; gap: 6px; color: var(--_alert); font-weight: 600; }
.on::before { content: ""; width: 9px; height: 9px; border-radius: 50%; background: currentColor; }
.pad { display: grid; place-items: center; height: 130px; border: 1px dashed var(--_edge); border-radius: calc(var(--_radius) * .75); color: var(--_muted); cursor: crosshair; touch-action: none; }
.pad:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
canvas.preview { width: auto; height: auto; max-width: 100%; min-height: 0; border: 1px solid var(--_edge); border-radius: 4px; image-rendering: pixelated; cursor: default; }
.check { display: inline-flex; align-items: center; gap: 7px; min-height: 24px; color: var(--_muted); }
.check input { width: 16px; height: 16px; }
.wrong:empty { display: none; }
@container (max-width: 360px) { .fields { grid-template-columns: 1fr 1fr; } .fields > :first-child { grid-column: 1 / -1; } }
`;

let own: CSSStyleSheet | undefined;

/** The style sheet shared by all elements of this kind. */
export function sheet(): CSSStyleSheet {
  if (own === undefined) {
    own = new CSSStyleSheet();
    own.replaceSync(CSS);
  }
  return own;
}
