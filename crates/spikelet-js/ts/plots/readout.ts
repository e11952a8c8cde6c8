// The chips over the first plot: the pinned times, and the way back to the latest data.

import type { Cursor } from "./cursor.js";
import { h, say } from "./dom.js";
import { time } from "./numbers.js";
import type { TimeView } from "./view.js";

/** Callbacks of the chips. */
interface Asks {
  clearPins(): void;
  /** Shows the latest data; null if there is a button elsewhere. */
  live: (() => void) | null;
}

/** The pinned times with a button that removes them, and the reviewed time span with a button that ends the review. */
export class Readout {
  readonly element: HTMLElement;
  readonly #pinText = h("span");
  readonly #pins: HTMLElement;
  readonly #viewText = h("span");
  readonly #view: HTMLElement;

  constructor(asks: Asks) {
    const clear = h("button", { type: "button", part: "button", title: "Remove the pins (Escape on a plot)" }, "Clear");
    clear.addEventListener("click", asks.clearPins);
    this.#pins = h("span", { class: "chip", part: "pins", role: "status", hidden: "" }, this.#pinText, clear);
    this.#view = h("span", { class: "chip", part: "view", hidden: "" }, this.#viewText);
    if (asks.live !== null) {
      const live = h("button", { type: "button", part: "button live", title: "Show the latest data (double click, or End on a plot)" }, "Live");
      live.addEventListener("click", asks.live);
      this.#view.append(live);
    }
    this.element = h("div", { class: "readout" }, this.#pins, this.#view);
  }

  show(cursor: Cursor, view: TimeView | null): void {
    const words = cursor.words();
    say(this.#pinText, words);
    this.#pins.hidden = words === "";
    this.#view.hidden = view === null;
    if (view !== null) say(this.#viewText, `${time(view.fromMs)} to ${time(view.toMs)} ms`);
  }
}
