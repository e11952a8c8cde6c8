// Elements of the shadow tree. They are created one by one, because a page may forbid HTML from text (Trusted Types).

/** Creates an element with attributes and children; `undefined` attributes are omitted. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of 16 by 16 in the colour of the text, hidden from screen readers. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" })) {
    svg.setAttribute(name, value);
  }
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** Sets a text only if it differs, to avoid a layout. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
