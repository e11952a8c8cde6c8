import { style } from "./element/style.js";
import { TypedElement, define } from "./element/typed.js";
import { notAllowed } from "./errors.js";
import type { StoredSpikes } from "./experiments/compare.js";
import { CompareView } from "./experiments/compare-view.js";
import { NeuronView } from "./experiments/neuron-view.js";
import type { Owner, ExperimentView } from "./experiments/owner.js";
import { sheet } from "./experiments/style.js";
import { SweepView } from "./experiments/sweep-view.js";
import { h } from "./plots/dom.js";
import { Theme } from "./plots/theme.js";
import type { Spikelet } from "./spikelet.js";

/** The events of the element. They do not bubble. */
export interface SpikeletExperimentsEventMap {
  /**
   * The user opens a run of a sweep: paths and quantities, for `Spikelet.set`, and its duration in ms. If no listener calls `preventDefault`, the
   * simulation is reset with them, and runs for this time.
   */
  open: CustomEvent<{ readonly values: readonly (readonly [string, string])[]; readonly ms: number }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "spikelet-experiments": SpikeletExperimentsElement;
  }
}

/** What a board offers: the stored spikes of its run. */
export interface Stored {
  readonly past: { readonly spikes: StoredSpikes };
}

/** The views, with the text of their tabs. */
const VIEWS: readonly (readonly [string, string, new (owner: Owner) => ExperimentView])[] = [
  ["sweep", "Sweep", SweepView],
  ["neuron", "Curves of one neuron", NeuronView],
  ["compare", "Keep and compare", CompareView],
];

/**
 * The element `<spikelet-experiments>`: sweeps, curves of a neuron, and comparisons of runs of a simulation; see docs/experiments.md.
 *
 * ```js
 * import "spikelet/experiments/element";
 *
 * const element = document.createElement("spikelet-experiments");
 * element.simulation = await Spikelet.create("cuba");
 * ```
 */
export class SpikeletExperimentsElement extends TypedElement<SpikeletExperimentsEventMap> {
  readonly #root: ShadowRoot;
  #end: AbortController | null = null;
  #simulation: Spikelet | null = null;
  #board: Stored | null = null;
  #views: readonly ExperimentView[] = [];

  constructor() {
    super();
    this.#root = this.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = [style(), sheet()];
    this.take("board", "simulation");
  }

  /** The simulation whose network is used; it is not changed. */
  get simulation(): Spikelet | null {
    return this.#simulation;
  }

  set simulation(simulation: Spikelet | null) {
    if (simulation !== null && typeof simulation?.network !== "function") throw notAllowed("simulation", simulation, "a Spikelet, or null");
    if (simulation === this.#simulation) return;
    this.#simulation = simulation;
    for (const view of this.#views) view.renew();
  }

  /** The plots of the simulation, whose stored spikes are compared; without them no run can be kept. */
  get board(): Stored | null {
    return this.#board;
  }

  set board(board: Stored | null) {
    this.#board = board;
  }

  /** Shows a view, as its tab does. */
  show(view: "sweep" | "neuron" | "compare"): void {
    const place = VIEWS.findIndex(([name]) => name === view);
    if (place < 0) throw notAllowed("view", view, '"sweep", "neuron" or "compare"');
    [...this.#root.querySelectorAll<HTMLElement>("[role=tab]")].forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === place));
      tab.tabIndex = index === place ? 0 : -1;
    });
    this.#views.forEach(({ element }, index) => (element.parentElement!.hidden = index !== place));
    this.#views[place]?.redraw();
  }

  /** @internal */
  connectedCallback(): void {
    // The element stays as it is when it is moved.
    if (this.#end) return;
    const end = (this.#end = new AbortController());
    const theme = new Theme("--_", () => this.#views.forEach((view) => view.redraw()));
    const element = this;
    const owner: Owner = {
      theme,
      end: end.signal,
      get simulation() {
        return element.#simulation;
      },
      get spikes() {
        return element.#board?.past.spikes ?? null;
      },
      worker: () => element.getAttribute("worker") ?? undefined,
      open: (values, ms) => this.#open(values, ms),
    };
    this.#views = VIEWS.map(([, , make]) => new make(owner));
    const tabs = VIEWS.map(([name, text]) => {
      const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, part: `tab tab-${name}`, "aria-controls": `panel-${name}` }, text);
      tab.addEventListener("click", () => this.show(name as "sweep"));
      return tab;
    });
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Experiments" }, ...tabs);
    list.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
      if (by === undefined) return;
      event.preventDefault();
      const next = (at + by + tabs.length) % tabs.length;
      this.show(VIEWS[next]![0] as "sweep");
      tabs[next]!.focus();
    });
    const panels = this.#views.map((view, place) => h("div", { role: "tabpanel", id: `panel-${VIEWS[place]![0]}`, "aria-labelledby": `tab-${VIEWS[place]![0]}` }, view.element));
    this.#root.replaceChildren(h("div", { class: "base", part: "base" }, theme.probe, list, ...panels));
    this.show("sweep");
  }

  /** @internal */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#end?.abort();
      this.#end = null;
    });
  }

  #open(values: readonly (readonly [string, string])[], ms: number): void {
    if (!this.dispatchEvent(new CustomEvent("open", { detail: { values, ms }, cancelable: true }))) return;
    const simulation = this.#simulation;
    void (async () => {
      for (const [path, value] of values) await simulation?.set(path, value);
      await simulation?.reset();
      await simulation?.run(ms);
    })();
  }
}

define("spikelet-experiments", SpikeletExperimentsElement);
