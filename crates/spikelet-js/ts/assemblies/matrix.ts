// The overlaps of saved assemblies, as a table.

import { h } from "../plots/dom.js";
import type { Use } from "../plots/theme.js";
import { overlap } from "./brain.js";

/** An assembly with a name. */
export interface Saved {
  readonly name: string;
  readonly area: string;
  readonly neurons: Uint32Array;
  readonly use: Use;
}

/** The colours of assemblies of an area. */
const USES: readonly Use[] = ["excitatory", "inhibitory", "weights", "other-1", "other-4"];

/** The assemblies of a brain. The newest of each area are kept, as many as there are colours. */
export class Collection {
  #all: Saved[] = [];

  get all(): readonly Saved[] {
    return this.#all;
  }

  /** Saves an assembly; one with the same name is replaced. */
  save(name: string, area: string, neurons: Uint32Array): void {
    const before = this.#all.find((saved) => saved.name === name && saved.area === area);
    const others = this.#all.filter((saved) => saved !== before);
    const inArea = others.filter((saved) => saved.area === area);
    const oldest = inArea.length >= USES.length ? inArea[0] : undefined;
    const kept = others.filter((saved) => saved !== oldest);
    const taken = new Set(kept.filter((saved) => saved.area === area).map(({ use }) => use));
    const use = before?.use ?? inOrder(area).find((free) => !taken.has(free)) ?? USES[0]!;
    this.#all = [...kept, { name, area, neurons, use }];
  }

  clear(): void {
    this.#all = [];
  }
}

/** The colours, beginning with another one in each area. */
function inOrder(area: string): Use[] {
  const first = area.charCodeAt(0) % USES.length;
  return [...USES.slice(first), ...USES.slice(0, first)];
}

/** A table for each area with several assemblies: how much each two of them overlap. */
export function tables(saved: readonly Saved[], chance: number): HTMLElement[] {
  const areas = [...new Set(saved.map(({ area }) => area))].sort();
  return areas.flatMap((area) => {
    const own = saved.filter((one) => one.area === area);
    return own.length > 1 ? [table(area, own, chance)] : [];
  });
}

function table(area: string, own: readonly Saved[], chance: number): HTMLElement {
  const dot = ({ use }: Saved) => {
    const swatch = h("i", { class: "dot", "aria-hidden": "true" });
    swatch.style.setProperty("background", `var(--_${use})`);
    return swatch;
  };
  const cell = (a: Saved, b: Saved) => {
    const value = overlap(a.neurons, b.neurons);
    const shown = h("td", {}, percent(value));
    shown.style.setProperty("--_share", `${Math.round(value * 70)}%`);
    return shown;
  };
  const head = h("tr", {}, h("th", { scope: "col" }, `Area ${area}`), ...own.map((one) => h("th", { scope: "col" }, dot(one), one.name)));
  const rows = own.map((one) => h("tr", {}, h("th", { scope: "row" }, dot(one), one.name), ...own.map((other) => cell(one, other))));
  const caption = h("caption", {}, `Overlap of assemblies; ${percent(chance)} is expected by chance`);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Overlaps in area ${area}` }, h("table", {}, caption, h("thead", {}, head), h("tbody", {}, ...rows)));
}

/** A share as a percentage. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 10 ? Number(value.toFixed(1)) : Math.round(value)} %`;
}
