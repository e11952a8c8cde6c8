import { RebuiltElement } from "./element/rebuilt.js";
import { define } from "./element/typed.js";
import type { Network } from "./network.js";
import type { Theme } from "./plots/theme.js";
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

/**
 * The element `<spikelet-training>`: trains a network, and shows how it learns; see docs/element.md.
 *
 * ```html
 * <script type="module">import "spikelet/training/element";</script>
 * <spikelet-training></spikelet-training>
 * ```
 */
export class SpikeletTrainingElement extends RebuiltElement<SpikeletTrainingEventMap> {
  static readonly observedAttributes: readonly string[] = ["preset", "worker"];

  #studio: Studio | null = null;
  #offered: string | null = null;

  constructor() {
    super(sheet());
    this.take("network");
  }

  /** A network of the page, as JSON, which the list of tasks offers; null for none. */
  get network(): string | null {
    return this.#offered;
  }

  set network(json: string | null) {
    this.#offered = json ?? null;
    this.#studio?.offer(this.#offered);
  }

  /** @internal */
  protected override redraw(): void {
    this.#studio?.redraw();
  }

  /** @internal */
  protected override fill(base: HTMLElement, theme: Theme, end: AbortSignal): void {
    const owner: Owner = {
      end,
      worker: () => this.getAttribute("worker") ?? undefined,
      ready: (training) => this.dispatchEvent(new CustomEvent("ready", { detail: { training } })),
      open: (network) => {
        const detail = { network, json: JSON.stringify(network) };
        return !this.dispatchEvent(new CustomEvent("open", { detail, cancelable: true }));
      },
    };
    const studio = new Studio(owner, theme, this.getAttribute("preset"));
    this.#studio = studio;
    base.append(studio.element);
    studio.offer(this.#offered);
    void studio.begin();
  }
}

define("spikelet-training", SpikeletTrainingElement);
