import type { Brain } from "./assemblies/brain.js";
import { Laboratory } from "./assemblies/laboratory.js";
import { Reading } from "./assemblies/reading.js";
import { type Owner, seedOf, settingsOf } from "./assemblies/settings.js";
import { sheet } from "./assemblies/style.js";
import { RebuiltElement } from "./element/rebuilt.js";
import { define } from "./element/typed.js";
import { notAllowed } from "./errors.js";
import { h } from "./plots/dom.js";
import type { Theme } from "./plots/theme.js";

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

/**
 * The element `<spikelet-assemblies>`: a laboratory of the assembly calculus, and a parser made of assemblies; see docs/element.md.
 *
 * ```html
 * <script type="module">import "spikelet/assemblies/element";</script>
 * <spikelet-assemblies></spikelet-assemblies>
 * ```
 */
export class SpikeletAssembliesElement extends RebuiltElement<SpikeletAssembliesEventMap> {
  static readonly observedAttributes: readonly string[] = ["view", "n", "k", "p", "beta", "seed", "sentence", "grammar", "worker"];

  #select: (view: AssembliesView) => void = () => {};
  #redraw: () => void = () => {};

  constructor() {
    super(sheet());
    this.take("view");
  }

  /** The view that is shown. */
  get view(): AssembliesView {
    return this.getAttribute("view") === "parser" ? "parser" : "operations";
  }

  set view(view: AssembliesView) {
    if (!Object.hasOwn(VIEWS, view)) throw notAllowed("view", view, `one of ${Object.keys(VIEWS).join(", ")}`);
    this.setAttribute("view", view);
  }

  /** @internal The view needs no new content. */
  protected override adopts(name: string): boolean {
    if (name === "view") this.#select(this.view);
    return name === "view";
  }

  /** @internal */
  protected override redraw(): void {
    this.#redraw();
  }

  /** @internal */
  protected override fill(base: HTMLElement, theme: Theme, end: AbortSignal): void {
    const [settings, seed, grammar] = [settingsOf(this), seedOf(this), this.getAttribute("grammar") ?? "english"];
    if (!["english", "russian"].includes(grammar)) throw notAllowed("grammar", grammar, '"english" or "russian"');
    const owner: Owner = {
      end,
      seed: () => seed,
      worker: () => this.getAttribute("worker") ?? undefined,
      ready: (brain) => this.dispatchEvent(new CustomEvent("ready", { detail: { brain } })),
    };
    const laboratory = new Laboratory(owner, theme, settings);
    const reading = new Reading(owner, theme, grammar, this.getAttribute("sentence"));
    this.#redraw = () => {
      laboratory.redraw();
      reading.redraw();
    };
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

define("spikelet-assemblies", SpikeletAssembliesElement);
