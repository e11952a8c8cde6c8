// The parser: a sentence, the path of each word, and the dependencies.

import { worded } from "../errors.js";
import { h, say } from "../plots/dom.js";
import type { Theme, Use } from "../plots/theme.js";
import { Brain } from "./brain.js";
import type { Lexicon, Parse } from "./raw.js";
import { type Coloured, type SceneNode, Scene } from "./scene.js";
import { type Owner, prefersStill } from "./settings.js";
import { tree } from "./tree.js";

/** A sentence for each grammar, and others to try. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  english: ["cats chase mice", "the big dogs quickly bite a man", "people in mice run", "people are bad"],
  russian: ["kot vidit sobaku", "sobaku vidit kot", "sobakie kota dayet kot"],
};

/** The colours of words. */
const WORDS: readonly Use[] = ["excitatory", "inhibitory", "weights", "other-1", "other-4", "other-2", "other-3"];

/** Wall time for which each word is shown after a sentence was parsed, in ms. */
const WORD_MS = 900;

/** The places around the middle of a square, clockwise from the upper left. */
const SQUARE: readonly (readonly [number, number])[] = [[-1, -1], [0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0]];

let readings = 0;

/** The parser. */
export class Reading {
  readonly element: HTMLElement;
  readonly #owner: Owner;
  readonly #scene: Scene;
  readonly #text: HTMLInputElement;
  readonly #grammar = h("select", { part: "grammar", "aria-label": "Grammar" });
  readonly #error: HTMLElement;
  readonly #parse = h("button", { type: "submit", part: "button parse", class: "main" }, "Parse");
  readonly #examples = h("div", { class: "chips", role: "group", "aria-label": "Examples" });
  readonly #lexicon = h("details", { class: "lexicon", part: "lexicon" });
  readonly #words = h("div", { class: "words", role: "group", "aria-label": "Words of the sentence" });
  readonly #path = h("p", { class: "now", role: "status", part: "path" });
  readonly #result = h("div", { class: "result" });
  #brain: Brain | null = null;
  #grammars: Lexicon[] = [];
  #parsed: Parse | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #latest = 0;

  constructor(owner: Owner, theme: Theme, grammar: string, sentence: string | null) {
    const id = `sentence-${(readings += 1)}`;
    this.#owner = owner;
    this.#scene = new Scene(theme, 0.125, owner.end);
    this.#error = h("p", { class: "wrong", id: `${id}-error`, role: "alert", part: "error" });
    this.#text = h("input", { type: "text", id, part: "sentence", "aria-describedby": `${id}-error`, autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: sentence ?? EXAMPLES[grammar]?.[0] ?? "" });
    const form = h("form", { class: "ask", novalidate: "" }, h("label", { for: id }, "Sentence"), this.#text, this.#grammar, this.#parse);
    form.addEventListener("submit", (submit) => {
      submit.preventDefault();
      void this.#read();
    });
    this.#grammar.append(...Object.keys(EXAMPLES).map((name) => h("option", { value: name }, name[0]!.toUpperCase() + name.slice(1))));
    this.#grammar.value = grammar;
    this.#grammar.addEventListener("change", () => {
      this.#text.value = EXAMPLES[this.#grammar.value]?.[0] ?? "";
      this.#offer();
      void this.#read();
    });
    this.element = h("div", { class: "reading" }, form, this.#error, this.#examples, this.#lexicon, this.#words, this.#path, this.#scene.element, this.#result);
    owner.end.addEventListener("abort", () => {
      this.#pause();
      this.#brain?.dispose();
    });
    this.#offer();
    say(this.#path, "Each word is a set of neurons in LEX. It opens areas and fibres, and an assembly for it forms in the area that says what the word is.");
  }

  /** Parses the sentence of the field, the first time that the view is shown. */
  async begin(): Promise<void> {
    if (this.#latest === 0) await this.#read();
  }

  redraw(): void {
    this.#scene.draw();
  }

  async #read(): Promise<void> {
    const turn = (this.#latest += 1);
    this.#pause();
    this.#parse.disabled = true;
    try {
      if (this.#brain === null) {
        this.#brain = await Brain.create({ signal: this.#owner.end, worker: this.#owner.worker() });
        this.#grammars = await this.#brain.grammars();
        this.#offer();
      }
      const options = { grammar: this.#grammar.value, seed: this.#owner.seed() };
      const parsed = await this.#brain.parse(this.#text.value, options);
      if (turn !== this.#latest || this.#owner.end.aborted) return;
      this.#explain(null);
      this.#show(parsed);
    } catch (error) {
      if (turn === this.#latest && !this.#owner.end.aborted) this.#explain(error);
    } finally {
      this.#parse.disabled = false;
    }
  }

  /** The error at the field, with the wrong word marked. */
  #explain(error: unknown): void {
    const failure = error === null ? null : worded(error);
    say(this.#error, failure?.message ?? "");
    this.#text.setAttribute("aria-invalid", String(failure !== null));
    if (failure === null) return;
    this.#parsed = null;
    this.#result.replaceChildren();
    say(this.#path, "");
    const place = /^sentence\[(\d+)\]$/.exec(failure.path ?? "")?.[1];
    const words = this.#text.value.trim().split(/\s+/).filter((word) => word !== "");
    this.#words.replaceChildren(...words.map((word, at) => h("span", { class: String(at) === place ? "word-of wrong-word" : "word-of" }, word)));
    this.#scene.setNodes(this.#nodes());
    this.#scene.show({ winners: new Map(), fibres: [], assemblies: [] }, "No sentence is parsed.");
    if (place === undefined) return;
    // Selects the word, so that the next key replaces it.
    const parts = [...this.#text.value.matchAll(/\S+/g)][Number(place)];
    if (parts && this.#isFocused()) this.#text.setSelectionRange(parts.index, parts.index + parts[0].length);
  }

  #isFocused(): boolean {
    return (this.element.getRootNode() as ShadowRoot).activeElement === this.#text;
  }

  #show(parsed: Parse): void {
    this.#parsed = parsed;
    const buttons = parsed.words.map(({ word, kind, area }, at) => {
      const button = h("button", { type: "button", class: "word-of", part: "button word", "data-word": word }, h("b", {}, word), h("small", {}, `${kind} → ${area}`));
      button.style.setProperty("--_colour", `var(--_${WORDS[at % WORDS.length]!})`);
      button.addEventListener("click", () => {
        this.#pause();
        this.#select(at);
      });
      return button;
    });
    this.#words.replaceChildren(...buttons);
    this.#scene.setNodes(this.#nodes());
    this.#result.replaceChildren(tree(parsed.words.map(({ word }) => word), parsed.dependencies, parsed.root));
    if (prefersStill()) this.#select(parsed.words.length - 1);
    else this.#play(0);
  }

  /** Shows one word after the other, once. */
  #play(at: number): void {
    this.#select(at);
    if (at + 1 < (this.#parsed?.words.length ?? 0)) this.#timer = setTimeout(() => this.#play(at + 1), WORD_MS);
  }

  #pause(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #select(at: number): void {
    const path = this.#parsed?.words[at];
    if (!path || !this.#parsed) return;
    [...this.#words.children].forEach((button, place) => button.setAttribute("aria-pressed", String(place === at)));
    const open = path.openAreas.join(", ");
    const text = `“${path.word}” (${path.kind}): its neurons in LEX fire, the areas ${open} are open, and an assembly for it forms in ${path.area}.`;
    say(this.#path, text);
    const winners = new Map(path.winners.map(({ area, neurons }) => [area, neurons]));
    this.#scene.show({ winners, fibres: path.fibres, assemblies: this.#assemblies(this.#parsed, at) }, text);
  }

  /** The neurons of each word up to this one, in its colour. */
  #assemblies({ words }: Parse, last: number): Coloured[] {
    return words.slice(0, last + 1).flatMap((path, at) => {
      const own = path.winners.filter(({ area }) => area === path.area || area === this.#nodes()[0]?.name);
      return own.map(({ area, neurons }) => ({ area, neurons, use: WORDS[at % WORDS.length]! }));
    });
  }

  #lexiconNow(): Lexicon | undefined {
    return this.#grammars.find(({ name }) => name === this.#grammar.value);
  }

  /** The area of words in the middle, the others around it: in two rows if there is room, else in a square. */
  #nodes(): SceneNode[] {
    const lexicon = this.#lexiconNow();
    const [words = "LEX", ...others] = lexicon?.areas ?? [];
    const blocks = 20 * (lexicon?.words.length ?? 1);
    const columns = Math.max(2, Math.ceil(others.length / 2));
    const square = others.length > 4 ? SQUARE : SQUARE.filter(([x, y]) => x !== 0 && y !== 0);
    const around = others.map((name, place): SceneNode => {
      const column = place < columns ? place : 2 * columns - 1 - place;
      const [x, y] = square[place % square.length]!;
      const wide = [columns > 2 ? 0.09 + (0.82 * column) / (columns - 1) : 0.22 + 0.56 * column, place < columns ? 0.25 : 0.77] as const;
      return { name, n: 10_000, wide, narrow: [0.5 + 0.335 * x, 0.49 + 0.335 * y] };
    });
    return [{ name: words, n: blocks, wide: [0.5, 0.5], narrow: [0.5, 0.49] }, ...around];
  }

  /** Examples, and the words of the grammar to put into the field. */
  #offer(): void {
    const examples = EXAMPLES[this.#grammar.value] ?? [];
    this.#examples.replaceChildren(
      ...examples.map((sentence) => {
        const button = h("button", { type: "button", part: "button", class: "example" }, sentence);
        button.addEventListener("click", () => {
          this.#text.value = sentence;
          void this.#read();
        });
        return button;
      }),
    );
    const words = this.#lexiconNow()?.words ?? [];
    const kinds = [...new Set(words.map(({ kind }) => kind))];
    const rows = kinds.flatMap((kind) => [h("dt", {}, kind), h("dd", {}, words.filter((one) => one.kind === kind).map(({ word }) => word).join(", "))]);
    this.#lexicon.replaceChildren(h("summary", {}, "Words that it knows"), h("dl", {}, ...rows));
    this.#lexicon.hidden = words.length === 0;
  }
}
