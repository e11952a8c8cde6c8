// The style of the controls. It is the same in a page and in the shadow tree of an element, so it uses no colours but those of the text.

const CSS = `
.plot.phase { container-type: inline-size; }
.plot.phase .canvas { min-height: 0; }
.plot.phase canvas { height: clamp(260px, 62cqi, 420px); cursor: crosshair; touch-action: pan-y; }
.plot.phase.sized canvas { height: 100%; }
.plot.phase .beside { display: grid; align-content: start; gap: 8px; padding-block: 6px; font-size: .8125rem; min-width: 0; }
.plot.phase .fields { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; }
.plot.phase .fields label { display: inline-flex; align-items: center; gap: 6px; grid-template-columns: none; }
.plot.phase .beside select, .plot.phase .beside input[type=number] {
  min-height: 26px; width: auto; max-width: 12em; padding: 0 26px 0 8px; border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: 4px;
  background: transparent; color: inherit; font: inherit;
}
.plot.phase .beside option { color: CanvasText; background: Canvas; }
.plot.phase .beside input[type=number] { width: 5.5em; padding-inline-end: 6px; }
.plot.phase .beside button {
  min-height: 26px; padding: 2px 10px; border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: 4px; background: none; color: inherit;
  font: inherit; text-align: start; justify-self: start; cursor: pointer;
}
.plot.phase .beside button:hover { border-color: currentColor; }
.plot.phase .beside :focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
.plot.phase .held { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 210px), 1fr)); gap: 6px 20px; }
.plot.phase .held:empty, .plot.phase .error:empty, .plot.phase .beside [hidden] { display: none; }
.plot.phase .row { display: grid; grid-template-columns: auto minmax(4.5em, 1fr) auto; align-items: center; gap: 0 6px; }
.plot.phase .row input[type=range] { grid-column: 1 / -1; width: 100%; min-height: 24px; margin: 0; }
.plot.phase .row output { font-weight: 600; }
.plot.phase .steady { display: inline-flex; align-items: center; gap: 5px; min-height: 24px; cursor: pointer; }
.plot.phase .steady input { width: 16px; height: 16px; margin: 0; }
.plot.phase .points { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.plot.phase .points th, .plot.phase .points td { padding: 2px 10px 2px 0; text-align: start; vertical-align: top; font-weight: 400; white-space: normal; }
.plot.phase .points tbody th { font-weight: 600; }
.plot.phase .points thead th { opacity: .7; }
.plot.phase .none { margin: 0; opacity: .8; }
@container (max-width: 640px) {
  .plot.phase figcaption { flex-wrap: wrap; height: auto; }
  .plot.phase .legend { order: 9; flex: 1 0 100%; flex-flow: row wrap; }
  .plot.phase .about, .plot.phase .remark { flex: 0 1 auto; white-space: normal; }
  .plot.phase .under { flex-basis: 100%; order: 8; }
}
.plot.phase .error { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
`;

let sheet: CSSStyleSheet | undefined;

/** Applies the style to the document or the shadow tree of an element. */
export function dress(element: Element): void {
  const root = element.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return;
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
