// A widget in an output of a notebook: the element, and its connection to Python.

import { engineOf, forget, views } from "./engine.js";
import { Source, whole } from "./parts.js";
import { Runs } from "./runs.js";
import { SpikeSender } from "./spikes.js";
import { followTheme } from "./theme.js";
import { Values } from "./values.js";

/** Traits that are attributes of the element. */
const ATTRIBUTES = { plots: "plots", parameters: "parameters", backend: "backend", seed: "seed", scale: "scale", speed: "speed", duration_ms: "duration", window_ms: "window" };

/** Ratio of the heights of a raster and of other plots, and the height of a caption in pixels. */
const RASTER = 1.8;
const CAPTION = 30;

/** The least height of a plot in pixels. */
const LEAST = 40;

/** The usual time span of the plots, in ms. */
const WINDOW_MS = 1000;

const NOTE = "margin: 6px 2px 0; font: 13px/1.45 var(--jp-ui-font-family, system-ui, sans-serif); color: light-dark(#5d636e, #9aa0a9); text-wrap: pretty;";
const BUTTON = "margin-inline-start: 8px; font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: 4px; padding: 1px 8px; cursor: pointer;";

export class View {
  #model;
  #id;
  #root = document.createElement("div");
  #notes = document.createElement("div");
  #source;
  #end = new AbortController();
  /** The element, and what belongs to it. */
  #life = null;
  #element = null;
  #runs = null;
  #spikes = null;
  #states = Promise.resolve();

  constructor(model, el) {
    this.#model = model;
    this.#id = model.get("_id");
    this.#source = new Source({ send: (message) => this.#send(message) });
    this.#root.className = "spikelet-widget";
    this.#notes.setAttribute("role", "status");
    this.#root.append(this.#notes);
    el.append(this.#root);
    followTheme(this.#root, this.#end.signal);
    this.#listen("msg:custom", (message, buffers) => this.#hear(message, buffers));
    for (const name of Object.keys(ATTRIBUTES)) this.#listen(`change:${name}`, () => this.#attribute(name));
    for (const name of ["height", "plots"]) this.#listen(`change:${name}`, () => this.#size());
    void this.show();
  }

  /** Runs the network in this output, and in no other one of the same widget. */
  async show() {
    views.get(this.#id)?.step();
    views.set(this.#id, this);
    const life = (this.#life = new AbortController());
    const { signal } = life;
    this.#clear();
    const waits = setTimeout(() => this.#note("engine", "Loading the engine…"), 400);
    this.#source.onSilence = (isSilent) => this.#silence(isSilent);
    try {
      const { tag, options } = await engineOf(this.#source);
      const files = {};
      for (const name of this.#model.get("_files")) {
        const content = await whole(() => [this.#source], `file:${name}`, { signal });
        files[name] = new Uint8Array(await content.arrayBuffer());
      }
      signal.throwIfAborted();
      this.#open(tag, { ...options, files }, life);
    } catch (error) {
      if (signal.aborted) return;
      this.#note("problem", sentence(error));
      this.#tell({ status: "failed", error: sentence(error) });
    } finally {
      clearTimeout(waits);
      this.#note("engine", null);
    }
  }

  /** Another output shows the widget. */
  step() {
    this.#life?.abort();
    this.#element?.remove();
    this.#clear();
    const button = document.createElement("button");
    button.textContent = "Show it here";
    button.style.cssText = BUTTON;
    button.addEventListener("click", () => void this.show());
    this.#note("elsewhere", "This network runs in another output of the page.", button);
  }

  /** The output has gone. */
  end() {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.#life?.abort();
    forget(this.#source);
    if (views.get(this.#id) === this) views.delete(this.#id);
    this.#root.remove();
  }

  #open(tag, options, { signal }) {
    const element = (this.#element = document.createElement(tag));
    const network = this.#model.get("_network");
    if (network.startsWith("{")) {
      const script = document.createElement("script");
      script.type = "application/json";
      script.textContent = network;
      element.append(script);
    } else {
      element.setAttribute("src", network);
    }
    // The engine of the widget has one thread.
    element.setAttribute("threads", "1");
    if (this.#model.get("autoplay")) element.setAttribute("autoplay", "");
    for (const name of Object.keys(ATTRIBUTES)) this.#attribute(name);
    this.#window(network);
    element.options = options;
    this.#size();
    const values = new Values(this.#model, (traits) => this.#tell(traits), (error) => this.#problem(error));
    const runs = new Runs(element, (message) => this.#send(message), () => this.#attribute("duration_ms"), () => this.#attribute("speed"));
    const most = this.#model.get("max_spikes");
    let spikes = null;
    element.addEventListener("ready", ({ detail: { simulation } }) => {
      spikes?.end();
      const sender = (spikes = this.#spikes = new SpikeSender((message, buffers) => this.#send(message, buffers), most));
      spikes.onFull = (untilMs) => this.#note("full", `Python has the spikes until ${untilMs.toFixed(1)} ms: max_spikes=${most} are reached. Reset to begin again.`);
      simulation.on("spikes", (batch) => batch.trial === 0 && sender.push(batch));
      simulation.on("state", ({ moved, timeMs }) => {
        if (!moved) return;
        this.#note("full", null);
        sender.restart(timeMs);
      });
      this.#tell({ error: null });
      this.#note("problem", null);
      this.#send({ say: "hello", page: sender.page, info: infoOf(simulation.info) });
      void values.open(simulation);
    });
    element.addEventListener("statechange", ({ detail: { state } }) => {
      const simulation = element.simulation;
      const sender = spikes;
      const at = performance.now();
      this.#size(state === "failed" && simulation === null);
      this.#states = this.#states.then(async () => {
        // Python has the spikes before it hears of the end.
        if (state !== "running" && state !== "building") await Promise.race([sender?.flushed(), later(5000)]);
        if (signal.aborted) return;
        const ends = runs.ends(state, at);
        const traits = { status: ends ? element.state : state, time_ms: simulation?.timeMs ?? 0 };
        this.#tell(traits);
        if (ends) runs.report(traits);
      });
    });
    element.addEventListener("error", ({ detail: { message } }) => {
      this.#tell({ error: message });
      runs.fail(message);
    });
    this.#runs = runs;
    signal.addEventListener("abort", () => {
      spikes?.end();
      values.end();
      runs.end();
      this.#runs = this.#spikes = this.#element = null;
      element.remove();
    });
    this.#listen("change:values", () => values.adopt(), signal);
    this.#root.prepend(element);
  }

  #hear(message, buffers) {
    if (this.#source.hear(message, buffers)) return;
    if (message.got !== undefined && message.page === this.#spikes?.page) return this.#spikes.confirm(message.got);
    const element = this.#element;
    // Several windows can show the widget; the one that has built it last runs it for Python.
    const isElsewhere = this.#spikes !== null && message.page !== this.#spikes.page;
    if (message.do === "run") isElsewhere || void this.#runs?.run(message);
    else if (message.do === "play") element?.play();
    else if (message.do === "pause") element?.pause();
    else if (message.do === "reset") element?.reset();
  }

  /** Sets an attribute to the value of a trait. */
  #attribute(trait) {
    const element = this.#element;
    if (!element) return;
    const value = this.#model.get(trait);
    const name = ATTRIBUTES[trait];
    if (value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, name === "speed" && value === 0 ? "max" : Array.isArray(value) ? value.join(" ") : String(value));
  }

  /** The time span of the plots of a short network, which would fill only a part of the usual one. */
  #window(network) {
    if (this.#model.get("window_ms") !== null || !network.startsWith("{")) return;
    const durationMs = JSON.parse(network).duration_ms;
    if (durationMs > 0 && durationMs < WINDOW_MS) this.#element.setAttribute("window", String(durationMs));
  }

  /** Divides the height among the plots. Where there are none, because the network is refused, a sentence needs less. */
  #size(isRefused = false) {
    const height = this.#model.get("height");
    const { style } = this.#element ?? {};
    if (!style) return;
    const set = (raster, plot) => {
      for (const [name, pixels] of Object.entries({ raster, plot })) {
        if (pixels === null) style.removeProperty(`--spikelet-${name}-height`);
        else style.setProperty(`--spikelet-${name}-height`, `${Math.max(LEAST, Math.round(pixels))}px`);
      }
    };
    if (isRefused) return set(LEAST, LEAST);
    if (height === null) return set(null, null);
    const plots = this.#model.get("plots").replace(/\([^)]*\)/g, "").split(/[\s,]+/).filter(Boolean);
    const rasters = plots.filter((word) => word === "raster").length;
    const unit = (height - CAPTION * plots.length) / (RASTER * rasters + plots.length - rasters);
    set(RASTER * unit, unit);
  }

  /**
   * Sets traits here and in Python, by a message: Jupyter's own updates of traits stop after a cell that awaits, because it misses the answer to one.
   * marimo runs cells again only after its own updates.
   */
  #tell(traits) {
    for (const [name, value] of Object.entries(traits)) this.#model.set(name, value);
    this.#send({ say: "traits", traits });
    if (this.#model.get("_updates")) this.#model.save_changes();
  }

  #send(message, buffers = []) {
    try {
      this.#model.send(message, undefined, buffers);
    } catch {
      // A saved notebook without a kernel: the note about its silence appears.
    }
  }

  #problem(error) {
    const text = error === null ? null : sentence(error);
    this.#note("problem", text);
    this.#tell({ error: text });
  }

  #silence(isSilent) {
    if (isSilent) this.#note("engine", null);
    const text = "The kernel sends the engine of this network, once per page, but does not answer yet. If it is busy, wait; if none runs, run this cell again.";
    this.#note("silence", isSilent ? text : null);
  }

  /** Shows a note below the element, or removes it. */
  #note(kind, text, ...more) {
    this.#notes.querySelector(`[data-kind="${kind}"]`)?.remove();
    if (text === null) return;
    const note = document.createElement("p");
    note.dataset.kind = kind;
    note.style.cssText = kind === "problem" ? `${NOTE} color: light-dark(#b42318, #ffb4a8);` : NOTE;
    note.append(text, ...more);
    this.#notes.append(note);
  }

  #clear() {
    this.#notes.replaceChildren();
  }

  #listen(event, listener, signal = this.#end.signal) {
    this.#model.on(event, listener);
    signal.addEventListener("abort", () => this.#model.off(event, listener));
  }
}

/** What Python says about the network. */
function infoOf({ network, neurons, synapses, dtMs, durationMs, seed, backend }) {
  return {
    name: network.name, neurons, synapses, dt_ms: dtMs, duration_ms: durationMs, seed: String(seed),
    backend: { kind: backend.kind, name: backend.name, reason: backend.reason },
    populations: network.populations.map(({ name, size, first }) => ({ name, size, first })),
    parameters: [...network.populations, ...network.projections].flatMap((one) => one.parameters.map(({ path, unit }) => ({ path, unit }))),
  };
}

function sentence(error) {
  return error instanceof Error ? error.message : String(error);
}

function later(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
