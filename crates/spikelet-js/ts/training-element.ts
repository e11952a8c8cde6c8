import { style } from "./element/style.js";
import { worded } from "./errors.js";
import type { Network } from "./network.js";
import { h } from "./plots/dom.js";
import { Theme } from "./plots/theme.js";
import { type Owner, Studio } from "./training/studio.js";
import { sheet } from "./training/style.js";
import type { Training } from "./training/training.js";

/** The events of the element. They do not bubble. */
export interface SpikeletTrainingEventMap {
  /** A training was opened. */
  ready: CustomEvent<{ readonly training: Training }>;
  /** The user opens the trained network. If no listener calls `preventDefault`, it is saved as a file. */
  open: CustomEvent<{ readonly network: Network; readonly json: string }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "spikelet-training": SpikeletTrainingElement;
  }
}

// In Node there are no elements: importing this module has no effect there.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * The element `<spikelet-training>`: trains a network, and shows how it learns; see docs/element.md.
 *
 * ```html
 * <script type="module">import "spikelet/training/element";</script>
 * <spikelet-training></spikelet-training>
 * ```
 */
export class SpikeletTrainingElement extends Base {
  static readonly observedAttributes: readonly string[] = ["preset", "worker"];

  readonly #root: ShadowRoot;
  #life: AbortController | null = null;
  #studio: Studio | null = null;
  #offered: string | null = null;
  #isRebuilding = false;

  constructor() {
    super();
    this.#root = this.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = [style(), sheet()];
    // A value that was set before the script was loaded.
    const early = (this as { network?: unknown }).network;
    if (Object.hasOwn(this, "network")) {
      delete (this as { network?: unknown }).network;
      this.network = typeof early === "string" ? early : null;
    }
  }

  /** A network of the page, as JSON, which the list of tasks offers; null for none. */
  get network(): string | null {
    return this.#offered;
  }

  set network(json: string | null) {
    this.#offered = json;
    this.#studio?.offer(json);
  }

  override addEventListener<Type extends keyof SpikeletTrainingEventMap>(
    type: Type,
    listener: (this: SpikeletTrainingElement, event: SpikeletTrainingEventMap[Type]) => unknown,
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

  /** @internal The training stays if the element is moved by `moveBefore`. */
  connectedMoveCallback(): void {}

  /** @internal */
  disconnectedCallback(): void {
    this.#life?.abort();
    this.#life = null;
  }

  /** @internal Another attribute rebuilds the element, once if several change together. */
  attributeChangedCallback(): void {
    if (!this.#life || this.#isRebuilding) return;
    this.#isRebuilding = true;
    queueMicrotask(() => {
      this.#isRebuilding = false;
      if (this.#life) this.#build();
    });
  }

  #build(): void {
    this.#life?.abort();
    const life = (this.#life = new AbortController());
    const owner: Owner = {
      end: life.signal,
      worker: () => this.getAttribute("worker") ?? undefined,
      ready: (training) => this.dispatchEvent(new CustomEvent("ready", { detail: { training } })),
      open: (network) => {
        const detail = { network, json: JSON.stringify(network) };
        return !this.dispatchEvent(new CustomEvent("open", { detail, cancelable: true }));
      },
    };
    try {
      const theme = new Theme("--_", () => this.#studio?.redraw());
      const base = h("div", { part: "base", class: "base" }, theme.probe);
      this.#root.replaceChildren(base);
      const studio = new Studio(owner, theme, this.getAttribute("preset"));
      this.#studio = studio;
      base.append(studio.element);
      studio.offer(this.#offered);
      void studio.begin();
    } catch (error) {
      this.#root.replaceChildren(h("div", { class: "base" }, h("p", { class: "wrong", role: "alert", part: "error" }, worded(error).message)));
    }
  }
}

if (globalThis.customElements && !customElements.get("spikelet-training")) {
  customElements.define("spikelet-training", SpikeletTrainingElement);
}
