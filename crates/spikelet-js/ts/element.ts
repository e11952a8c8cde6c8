import { Panel } from "./element/panel.js";
import { Session } from "./element/session.js";
import { BUILDING, type ElementOptions, RUNNING, plots } from "./element/settings.js";
import { TypedElement, define } from "./element/typed.js";
import { type SpikeletError, worded } from "./errors.js";
import { wordsOf } from "./plots/choose.js";
import { h } from "./plots/dom.js";
import type { Spikelet } from "./spikelet.js";

export type { ElementOptions } from "./element/settings.js";

/** State of an element: `idle` before it was visible, then `building`, `paused`, `running`, `ended` after its `duration`, or `failed`. */
export type NetworkState = "idle" | "building" | "paused" | "running" | "ended" | "failed";

/** The events of an element. They do not bubble. */
export interface SpikeletNetworkEventMap {
  /** The network is built. */
  ready: CustomEvent<{ readonly simulation: Spikelet }>;
  /** The state has changed. */
  statechange: CustomEvent<{ readonly state: NetworkState }>;
  /** An operation failed; the element shows the reason. */
  error: CustomEvent<SpikeletError>;
}

declare global {
  interface HTMLElementTagNameMap {
    "spikelet-network": SpikeletNetworkElement;
  }
}

/**
 * The element `<spikelet-network>`: runs a network in a page and plots it; see docs/element.md.
 *
 * ```html
 * <script type="module">import "spikelet/element";</script>
 * <spikelet-network src="cuba" plots="raster rates v" parameters="E.taum" autoplay></spikelet-network>
 * ```
 */
export class SpikeletNetworkElement extends TypedElement<SpikeletNetworkEventMap> {
  static readonly observedAttributes: readonly string[] = [...BUILDING, ...RUNNING, "offscreen"];

  readonly #panel: Panel;
  /** Stops observing the document when the element is removed from it. */
  #stay: AbortController | null = null;
  /** Cancels the build, or disposes the simulation. */
  #life: AbortController | null = null;
  #session: Session | null = null;
  #error: SpikeletError | null = null;
  #options: ElementOptions = {};
  #isInView = false;
  /** Whether to run after the build. */
  #isWanted = false;
  #isRebuilding = false;
  #reported: NetworkState = "idle";

  constructor() {
    super();
    this.#panel = new Panel(this.attachShadow({ mode: "open" }), {
      playOrPause: () => (this.#isPlaying ? this.pause() : this.play()),
      reset: () => this.reset(),
      retry: () => this.#build(),
    });
    this.take("options");
  }

  /** The simulation; null before it is built and after the element was removed from the document. */
  get simulation(): Spikelet | null {
    return this.#session?.simulation ?? null;
  }

  /** Options of `Spikelet.create` that no attribute can have: `files` and `worker`. Others rebuild the network. */
  get options(): ElementOptions {
    return this.#options;
  }

  set options(options: ElementOptions) {
    this.#options = options;
    if (this.#life) this.#rebuild();
  }

  /** The state of the element. */
  get state(): NetworkState {
    if (this.#error) return "failed";
    return this.#session?.player.state ?? (this.#life ? "building" : "idle");
  }

  /** Runs as soon as the network is built and visible; restarts an ended run. */
  play(): void {
    this.#isWanted = true;
    if (this.#error) this.#build();
    else this.#session?.player.play();
    this.#tell();
  }

  /** Pauses the run. */
  pause(): void {
    this.#isWanted = false;
    this.#session?.player.pause();
    this.#tell();
  }

  /** Returns to the start and pauses. */
  reset(): void {
    this.#isWanted = false;
    if (this.#error) this.#build();
    else this.#session?.player.reset();
    this.#tell();
  }

  /** @internal */
  connectedCallback(): void {
    const { signal } = (this.#stay = new AbortController());
    this.#isWanted = this.hasAttribute("autoplay");
    this.#makeRoom();
    const observer = new IntersectionObserver((entries) => {
      this.#isInView = entries.at(-1)?.isIntersecting ?? false;
      this.#look();
    });
    observer.observe(this);
    signal.addEventListener("abort", () => observer.disconnect());
    document.addEventListener("visibilitychange", () => this.#look(), { signal });
  }

  /** @internal The simulation continues if the element is moved by `moveBefore`. */
  connectedMoveCallback(): void {}

  /** @internal */
  disconnectedCallback(): void {
    this.#stay?.abort();
    this.#isInView = false;
    this.#end();
    this.#tell();
  }

  /** @internal */
  attributeChangedCallback(name: string): void {
    if (name === "offscreen") return this.#look();
    const isOfBuilding = (BUILDING as readonly string[]).includes(name);
    if (this.#session && !this.#error && !isOfBuilding) this.#session.adapt(name);
    else if (this.#life) this.#rebuild();
    else this.#makeRoom();
  }

  get #isSeen(): boolean {
    return this.isConnected && (this.hasAttribute("offscreen") || (this.#isInView && !document.hidden));
  }

  get #isPlaying(): boolean {
    return this.#session?.player.isWanted ?? this.#isWanted;
  }

  /** Handles a change of visibility. */
  #look(): void {
    this.#session?.player.update();
    if (!this.#isSeen || this.#life) return;
    // A child that contains the network may not be parsed yet.
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.#look(), { once: true });
    else this.#build();
  }

  /** Rebuilds once, also if several attributes change together. */
  #rebuild(): void {
    if (this.#isRebuilding) return;
    this.#isRebuilding = true;
    queueMicrotask(() => {
      this.#isRebuilding = false;
      if (this.#life) this.#build();
    });
  }

  #build(): void {
    this.#isWanted = this.#isPlaying;
    this.#end();
    this.#makeRoom();
    void this.#live((this.#life = new AbortController()).signal);
    this.#tell();
  }

  async #live(signal: AbortSignal): Promise<void> {
    const failed = (error: unknown) => void (signal.aborted || this.#fail(error));
    const owner = { element: this, options: this.#options, panel: this.#panel, isSeen: () => this.#isSeen, changed: () => this.#tell(), failed };
    try {
      const session = await Session.open(owner, signal);
      this.#session = session;
      this.dispatchEvent(new CustomEvent("ready", { detail: { simulation: session.simulation } }));
      // A listener may have removed the element.
      if (signal.aborted) return;
      if (this.#isWanted) session.player.play();
      this.#tell();
    } catch (error) {
      failed(error);
    }
  }

  #fail(error: unknown): void {
    // A failed run is reported twice: by its promise and by the event `error`.
    if (this.#error) return;
    this.#error = worded(error);
    this.#isWanted = false;
    this.#session?.player.pause();
    this.#panel.setBuilding(null);
    this.#panel.setError(this.#error.message);
    this.dispatchEvent(new CustomEvent("error", { detail: this.#error }));
    this.#tell();
  }

  #end(): void {
    this.#life?.abort();
    this.#life = null;
    this.#session = null;
    this.#error = null;
    this.#panel.clear();
  }

  #tell(): void {
    const { state } = this;
    this.#panel.setPlaying(this.#isPlaying, state === "running");
    if (state === this.#reported) return;
    this.#reported = state;
    this.dispatchEvent(new CustomEvent("statechange", { detail: { state } }));
  }

  /** Reserves the space of the plots. */
  #makeRoom(): void {
    const asked = wordsOf(plots(this));
    const rasters = asked.filter((word) => word === "raster").length;
    const room = h("div", { class: "plots coming" });
    room.style.setProperty("--_rasters", String(rasters));
    room.style.setProperty("--_others", String(asked.length - rasters));
    this.#panel.setPlots(room);
  }
}

define("spikelet-network", SpikeletNetworkElement);
