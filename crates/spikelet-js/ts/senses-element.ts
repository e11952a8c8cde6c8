import { style } from "./element/style.js";
import { TypedElement, define } from "./element/typed.js";
import { Panel } from "./senses/panel.js";
import { sheet } from "./senses/style.js";
import type { Spikelet } from "./spikelet.js";

/** The events of the element. They do not bubble. */
export interface SpikeletSensesEventMap {
  /** The user opens the example network; `detail.json` is its JSON. */
  open: CustomEvent<{ readonly json: string }>;
  /** A source has begun: what it senses is as fast as the world, whatever the speed of the simulation. */
  start: CustomEvent<null>;
}

declare global {
  interface HTMLElementTagNameMap {
    "spikelet-senses": SpikeletSensesElement;
  }
}

/**
 * The element `<spikelet-senses>`: live input for a simulation from camera, microphone, text or mouse; see docs/element.md. Its source stops
 * when the element is hidden or removed, when its tab is hidden, and when it gets another simulation.
 *
 * ```js
 * import "spikelet/senses/element";
 *
 * document.querySelector("spikelet-senses").simulation = simulation;
 * ```
 */
export class SpikeletSensesElement extends TypedElement<SpikeletSensesEventMap> {
  readonly #panel = globalThis.document
    ? new Panel(
        (json) => this.dispatchEvent(new CustomEvent("open", { detail: { json }, cancelable: true })),
        () => this.dispatchEvent(new CustomEvent("start")),
      )
    : null;
  readonly #hidden = globalThis.ResizeObserver ? new ResizeObserver(([entry]) => void (entry?.contentRect.width === 0 && this.#panel?.stop())) : null;
  readonly #leave = () => void (document.hidden && this.#panel?.stop());
  #simulation: Spikelet | null = null;

  constructor() {
    super();
    if (this.#panel === null) return;
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style(), sheet()];
    root.append(this.#panel.element);
    this.take("simulation");
  }

  /** The simulation whose neurons get the input; null for none. */
  get simulation(): Spikelet | null {
    return this.#simulation;
  }

  set simulation(simulation: Spikelet | null | undefined) {
    this.#simulation = simulation ?? null;
    this.#panel?.show(this.#simulation);
  }

  /** @internal */
  connectedCallback(): void {
    this.#hidden?.observe(this);
    document.addEventListener("visibilitychange", this.#leave);
  }

  /** @internal */
  disconnectedCallback(): void {
    this.#hidden?.disconnect();
    document.removeEventListener("visibilitychange", this.#leave);
    void this.#panel?.stop();
  }
}

define("spikelet-senses", SpikeletSensesElement);
