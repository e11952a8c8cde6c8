// The QR code of a link, as the page shows it to phones. It is loaded when one is shown.

import encodeQR from "qr";

/** The space around a code, in its modules: readers need four. */
const QUIET = 4;

/** A code as the path of an SVG: its modules as runs of a row, and its width in modules with the space around it. */
export function codeOf(text: string): { readonly path: string; readonly size: number } {
  const rows = encodeQR(text, "raw", { ecc: "low", border: QUIET });
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x += 1;
      path += `M${from} ${y}h${x + 1 - from}v1H${from}z`;
    }
  });
  return { path, size: rows.length };
}

/** `<spikelet-qr text="https://…">`: black on white, whatever the colours of the page are. A text that is too long for a code is said to be. */
class SpikeletQrElement extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ["text"];

  attributeChangedCallback(): void {
    this.replaceChildren();
    const text = this.getAttribute("text") ?? "";
    if (text === "") return;
    try {
      this.append(drawn(codeOf(text)));
    } catch {
      // The longest code has 2953 bytes.
      this.append("The link is too long for a QR code: copy it instead.");
    }
  }
}

function drawn({ path, size }: { readonly path: string; readonly size: number }): SVGSVGElement {
  const part = <Name extends "svg" | "path" | "rect">(name: Name, attributes: Record<string, string>): SVGElementTagNameMap[Name] => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const svg = part("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "QR code of the link", "shape-rendering": "crispEdges" });
  svg.append(part("rect", { width: String(size), height: String(size), fill: "#fff" }), part("path", { d: path, fill: "#000" }));
  return svg;
}

if (!customElements.get("spikelet-qr")) customElements.define("spikelet-qr", SpikeletQrElement);
