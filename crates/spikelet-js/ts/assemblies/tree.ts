// The dependencies of a sentence as arcs above its words.

import { h } from "../plots/dom.js";
import type { Dependency } from "./raw.js";

/** What the dependents in an area are. */
const ROLES: Readonly<Record<string, string>> = {
  SUBJ: "subject", OBJ: "object", ADVERB: "adverb", ADJ: "adjective", DET: "determiner", PREP: "preposition", PREP_P: "noun of a preposition",
  NOM: "subject (nominative)", ACC: "object (accusative)", DAT: "recipient (dative)",
};

const SVG = "http://www.w3.org/2000/svg";
const COLUMN = 96;
const LEVEL = 34;

function svg(tag: string, attributes: Readonly<Record<string, string | number>>, text?: string): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Each dependency with the positions of its words. A word that occurs several times is matched nearest to its head. */
export function located(words: readonly string[], dependencies: readonly Dependency[], root: string): { head: number; dependent: number; area: string }[] {
  const taken = new Set([words.indexOf(root)]);
  const found: { head: number; dependent: number; area: string }[] = [];
  for (const { head, dependent, area } of dependencies) {
    const heads = [...words.keys()].filter((at) => words[at] === head);
    const pairs = [...words.keys()]
      .filter((at) => words[at] === dependent && !taken.has(at))
      .flatMap((at) => heads.filter((from) => from !== at).map((from) => ({ head: from, dependent: at, area })));
    const nearest = pairs.sort((a, b) => Math.abs(a.head - a.dependent) - Math.abs(b.head - b.dependent))[0];
    if (!nearest) continue;
    taken.add(nearest.dependent);
    found.push(nearest);
  }
  return found;
}

/** The picture, and the same as a list. */
export function tree(words: readonly string[], dependencies: readonly Dependency[], root: string): HTMLElement {
  const arcs = located(words, dependencies, root).sort((a, b) => Math.abs(a.head - a.dependent) - Math.abs(b.head - b.dependent));
  const levels: number[] = [];
  const between = (arc: { head: number; dependent: number }) => [Math.min(arc.head, arc.dependent), Math.max(arc.head, arc.dependent)] as const;
  arcs.forEach((arc, place) => {
    const [from, to] = between(arc);
    const under = arcs.slice(0, place).map((other, at) => {
      const [begin, end] = between(other);
      return begin < to && from < end ? levels[at]! : 0;
    });
    levels.push(1 + Math.max(0, ...under));
  });
  const top = 14 + LEVEL * Math.max(1, ...levels);
  const [width, height] = [COLUMN * words.length, top + 30];
  const x = (at: number) => (at + 0.5) * COLUMN;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  arcs.forEach((arc, place) => {
    const y = top - levels[place]! * LEVEL;
    const [from, to] = [x(arc.head) + Math.sign(arc.dependent - arc.head) * 7, x(arc.dependent) - Math.sign(arc.dependent - arc.head) * 5];
    const path = `M${from} ${top} C${from} ${y} ${from} ${y} ${(from + to) / 2} ${y} C${to} ${y} ${to} ${y} ${to} ${top - 5}`;
    drawing.append(svg("path", { d: path, class: "arc" }));
    drawing.append(svg("path", { d: `M${to - 4} ${top - 7} L${to} ${top} L${to + 4} ${top - 7} Z`, class: "tip" }));
    drawing.append(svg("text", { x: (from + to) / 2, y: y - 4, class: "role" }, arc.area));
  });
  words.forEach((word, at) => drawing.append(svg("text", { x: x(at), y: top + 18, class: word === root ? "word root" : "word" }, word)));
  const lines = dependencies.map(({ head, dependent, area }) => h("li", {}, h("b", {}, dependent), ` is ${area}, the ${ROLES[area] ?? "dependent"} of `, h("b", {}, head)));
  const list = h("ul", { class: "dependencies", part: "dependencies", "aria-label": "Dependencies" }, h("li", {}, h("b", {}, root), " is the root"), ...lines);
  return h("div", { class: "tree", part: "tree" }, h("div", { class: "scroll" }, drawing), list);
}
