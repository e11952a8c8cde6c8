// The engine of a page, shared by all widgets of the same build in it: it is sent once, and compiled once.

import { SpikeletNetworkElement } from "spikelet/element";
import { Spikelet } from "spikelet";
import workerScript from "bundle:worker";
import { whole } from "./parts.js";

/** The name of the build. Another one in the same page, after an update of the package, has an engine of its own. */
const BUILD = __BUILD__;

const KEY = Symbol.for(`spikelet widget ${BUILD}`);

/** What all copies of this module in a page share: the first one makes it, because each widget imports a copy of its own. */
const page = (globalThis[KEY] ??= new (class Page {
  #engine = null;
  #address = null;
  sources = new Set();
  /** The view that runs the network of a widget, by the name of the widget. */
  views = new Map();

  /** The name of the element. A page that has the element of another build needs another name. */
  get tag() {
    const usual = "spikelet-network";
    if (customElements.get(usual) === SpikeletNetworkElement) return usual;
    const own = `${usual}-${BUILD}`;
    if (!customElements.get(own)) customElements.define(own, class extends SpikeletNetworkElement {});
    return own;
  }

  /** Options of the element: a Worker that does not load the engine, but has it. */
  async options(source) {
    this.sources.add(source);
    try {
      this.#engine ??= this.#open();
      await this.#engine;
    } catch (error) {
      this.#engine = null;
      throw error;
    }
    return { worker: () => new Worker(this.#address) };
  }

  async #open() {
    const packed = await whole(() => this.sources, "engine");
    const bytes = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const module = await WebAssembly.compile(bytes);
    Spikelet.provide({ st: module });
    this.#address = await workable(module);
  }
})());

/** Asks for the engine through any widget of the page. */
export async function engineOf(source) {
  return { tag: page.tag, options: await page.options(source) };
}

/** The view of a widget that runs its network; a widget shown twice runs once. */
export const views = page.views;

/** The widget has gone, and its kernel is not asked any more. */
export function forget(source) {
  page.sources.delete(source);
}

/** The first address of the Worker's script that this page allows: VS Code allows no blob. */
async function workable(module) {
  const addresses = [
    () => URL.createObjectURL(new Blob([workerScript], { type: "text/javascript" })),
    () => `data:text/javascript;charset=utf-8,${encodeURIComponent(workerScript)}`,
  ];
  for (const make of addresses) {
    const address = make();
    if (await starts(address, module)) return address;
  }
  throw new Error("this page allows no Workers: its content security policy needs `worker-src blob:` or `worker-src data:`");
}

/** Whether a Worker starts from the address and receives the module, see worker.js. */
function starts(address, module) {
  return new Promise((resolve) => {
    let worker;
    const end = (works) => {
      worker?.terminate();
      resolve(works);
    };
    try {
      worker = new Worker(address);
      worker.onmessage = () => end(true);
      worker.onerror = worker.onmessageerror = () => end(false);
      worker.postMessage({ probe: module });
      setTimeout(end, 10_000, false);
    } catch {
      end(false);
    }
  });
}
