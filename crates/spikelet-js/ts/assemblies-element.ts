import type { Brain } from "./assemblies/brain.js";
import { Laboratory } from "./assemblies/laboratory.js";
import { Reading } from "./assemblies/reading.js";
import { type Owner, seedOf, settingsOf } from "./assemblies/settings.js";
import { sheet } from "./assemblies/style.js";
import { style } from "./element/style.js";
import { notAllowed, worded } from "./errors.js";
import { h } from "./plots/dom.js";
import { Theme } from "./plots/theme.js";

/** The views of the element. */
export type AssembliesView = "operations" | "parser";

/** The events of the element. They do not bubble. */
export interface SpikeletAssembliesEventMap {
  /** A brain for the operations was made. */
  ready: CustomEvent<{ readonly brain: Brain }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "spikelet-assemblies": SpikeletAssembliesElement;
  }
}

const VIEWS: Readonly<Record<AssembliesView, string>> = { operations: "Assemblies", parser: "Parser" };

// In Node there are no elements: importing this module has no effect there.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * The element `<spikelet-assemblies>`: a laboratory of the assembly calculus, and a parser made of assemblies; see docs/element.md.
 *
 * ```html
 * <script type="module">import "spikelet/assemblies/element";</script>
 * <spikelet-assemblies></spikelet-assemblies>
 * ```
 */
export class SpikeletAssembliesElement extends Base {
  static readonly observedAttributes: readonly string[] = ["view", "n", "k", "p", "beta", "seed", "sentence", "grammar", "worker"];

  readonly #root: ShadowRoot;
  #life: AbortController | null = null;
  #select: (view: AssembliesView) => void = () => {};
  #isRebuilding = false;

  constructor() {
    super();
    this.#root = this.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = [style(), sheet()];
  }

  /** The view that is shown. */
  get view(): AssembliesView {
    return this.getAttribute("view") === "parser" ? "parser" : "operations";
  }

  set view(view: AssembliesView) {
    if (!Object.hasOwn(VIEWS, view)) throw notAllowed("view", view, `one of ${Object.keys(VIEWS).join(", ")}`);
    this.setAttribute("view", view);
  }

  override addEventListener<Type extends keyof SpikeletAssembliesEventMap>(
    type: Type,
    listener: (this: SpikeletAssembliesElement, event: SpikeletAssembliesEventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener<Type extends keyof HTMLElementEventMap>(
    type: Type,
    listener: (this: HTMLElement, event: HTMLElementEventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  override addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void {
    super.addEventListener(type, listener, options);
  }

  /** @internal */
  connectedCallback(): void {
    this.#build();
  }

  /** @internal The brain stays if the element is moved by `moveBefore`. */
  connectedMoveCallback(): void {}

  /** @internal */
  disconnectedCallback(): void {
    this.#life?.abort();
    this.#life = null;
  }

  /** @internal Another attribute than the view rebuilds the element, once if several change together. */
  attributeChangedCallback(name: string): void {
    if (!this.#life || this.#isRebuilding) return;
    if (name === "view") return this.#select(this.view);
    this.#isRebuilding = true;
    queueMicrotask(() => {
      this.#isRebuilding = false;
      if (this.#life) this.#build();
    });
  }

  #build(): void {
    this.#life?.abort();
    const life = (this.#life = new AbortController());
    try {
      this.#fill(life.signal);
    } catch (error) {
      this.#root.replaceChildren(h("div", { class: "base" }, h("p", { class: "wrong", role: "alert", part: "error" }, worded(error).message)));
    }
  }

  #fill(end: AbortSignal): void {
    const [settings, seed, grammar] = [settingsOf(this), seedOf(this), this.getAttribute("grammar") ?? "english"];
    if (!["english", "russian"].includes(grammar)) throw notAllowed("grammar", grammar, '"english" or "russian"');
    const owner: Owner = {
      end,
      seed: () => seed,
      worker: () => this.getAttribute("worker") ?? undefined,
      ready: (brain) => this.dispatchEvent(new CustomEvent("ready", { detail: { brain } })),
    };
    const theme = new Theme("--_", () => {
      laboratory.redraw();
      reading.redraw();
    });
    const base = h("div", { part: "base", class: "base" }, theme.probe);
    this.#root.replaceChildren(base);
    const laboratory = new Laboratory(owner, theme, settings);
    const reading = new Reading(owner, theme, grammar, this.getAttribute("sentence"));
    const views = { operations: laboratory.element, parser: reading.element };
    const tabs = Object.entries(VIEWS).map(([name, title]) => {
      const tab = h("button", { type: "button", role: "tab", part: "button tab", id: `tab-${name}`, "aria-controls": `view-${name}` }, title);
      tab.addEventListener("click", () => (this.view = name as AssembliesView));
      const panel = views[name as AssembliesView];
      for (const [key, value] of Object.entries({ role: "tabpanel", id: `view-${name}`, "aria-labelledby": `tab-${name}` })) panel.setAttribute(key, value);
      return tab;
    });
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "View" }, ...tabs);
    list.addEventListener("keydown", ({ key }) => {
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      this.view = this.view === "parser" ? "operations" : "parser";
      tabs.find((tab) => tab.ariaSelected === "true")?.focus();
    });
    base.append(list, laboratory.element, reading.element);
    this.#select = (view) => {
      for (const tab of tabs) {
        const isShown = tab.id === `tab-${view}`;
        tab.setAttribute("aria-selected", String(isShown));
        tab.tabIndex = isShown ? 0 : -1;
      }
      for (const [name, element] of Object.entries(views)) element.hidden = name !== view;
      if (view === "parser") void reading.begin();
    };
    this.#select(this.view);
  }
}

if (globalThis.customElements && !customElements.get("spikelet-assemblies")) {
  customElements.define("spikelet-assemblies", SpikeletAssembliesElement);
}
