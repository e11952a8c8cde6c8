// A button with a menu: a popover of the browser, which closes by Escape and by a press elsewhere.

import { h, icon } from "./dom.js";

/** An item of a menu. */
export interface MenuItem {
  readonly text: string;
  /** A short text behind it. */
  readonly hint?: string | undefined;
  /** A second line. */
  readonly about?: string | undefined;
  /** Whether it is switched on; absent if it is not a switch. */
  readonly isOn?: boolean | undefined;
  /** The reason why it cannot be chosen. */
  readonly lack?: string | null | undefined;
  /** Begins a group with this name; empty for a line without a name. */
  readonly group?: string | undefined;
  act(): void;
}

// Three dots, one above the other.
const MORE = "M8 1.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zm0 5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zm0 5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z";

/** Space between the button and its menu, and between the menu and the edges of the window, in CSS pixels. */
const GAP = 4;

/** A button that opens a menu, whose items are made when it opens. */
export class Menu {
  readonly button: HTMLButtonElement;
  /** To be placed beside the button. */
  readonly popup: HTMLElement;
  readonly #items: () => readonly MenuItem[];

  /** @param content The text of the button; an icon if it is absent. */
  constructor(label: string, items: () => readonly MenuItem[], content?: string) {
    this.#items = items;
    this.button = h("button", {
      type: "button", part: "button menu-button", class: content === undefined ? "more" : "add", "aria-label": content === undefined ? label : undefined, title: label,
      "aria-haspopup": "menu", "aria-expanded": "false",
    }, content ?? icon(MORE));
    this.popup = h("div", { class: "plot-menu", part: "popup", role: "menu", "aria-label": label, popover: "auto" });
    this.button.addEventListener("click", () => (this.#isOpen ? this.popup.hidePopover() : this.open()));
    this.button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      this.open();
    });
    this.popup.addEventListener("toggle", (event) => {
      this.button.setAttribute("aria-expanded", String(event.newState === "open"));
    });
    this.popup.addEventListener("keydown", (event) => this.#onKey(event));
  }

  open(): void {
    this.popup.replaceChildren(...this.#items().flatMap((item) => this.#element(item)));
    this.popup.showPopover();
    this.#place();
    this.#buttons[0]?.focus();
  }

  get #isOpen(): boolean {
    return this.popup.matches(":popover-open");
  }

  get #buttons(): HTMLElement[] {
    return [...this.popup.querySelectorAll<HTMLElement>("button")];
  }

  #element({ text, hint = "", about, isOn, lack, group, act }: MenuItem): HTMLElement[] {
    // Reasons are those of messages, where names are quoted.
    const second = (lack ?? about)?.replaceAll("`", "");
    const item = h("button", {
      type: "button", part: "item", role: isOn === undefined ? "menuitem" : "menuitemcheckbox", tabindex: "-1",
      "aria-checked": isOn === undefined ? undefined : String(isOn), "aria-disabled": lack == null ? undefined : "true",
    }, h("span", {}, text), ...(hint === "" ? [] : [h("i", {}, hint)]), ...(second === undefined ? [] : [h("small", {}, second)]));
    item.addEventListener("click", () => {
      if (lack != null) return;
      this.popup.hidePopover();
      this.button.focus();
      act();
    });
    const head = group === undefined ? [] : [group === "" ? h("hr", { role: "separator" }) : h("div", { class: "menu-group", role: "presentation" }, group)];
    return [...head, item];
  }

  /** Below the button, or above it if there is more space; inside of the window. */
  #place(): void {
    const { left, right, top, bottom } = this.button.getBoundingClientRect();
    const { style } = this.popup;
    const below = window.innerHeight - bottom - 2 * GAP;
    const isBelow = below >= Math.min(this.popup.scrollHeight, 320) || below >= top;
    for (const [name, value] of Object.entries({ position: "fixed", margin: "0", inset: "auto", "overflow-y": "auto", "max-height": `${(isBelow ? below : top - 2 * GAP) - 8}px` })) {
      style.setProperty(name, value);
    }
    const { width, height } = this.popup.getBoundingClientRect();
    const wanted = left + width + GAP > window.innerWidth ? right - width : left;
    style.setProperty("left", `${Math.max(GAP, Math.min(wanted, window.innerWidth - width - GAP))}px`);
    style.setProperty("top", `${isBelow ? bottom + GAP : Math.max(GAP, top - height - GAP)}px`);
  }

  #onKey(event: KeyboardEvent): void {
    const all = this.#buttons;
    const root = this.popup.getRootNode() as Document | ShadowRoot;
    const at = all.indexOf(root.activeElement as HTMLElement);
    const next = { ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length, Home: 0, End: all.length - 1 }[event.key];
    // The keys of the page have no effect on an open menu.
    event.stopPropagation();
    if (event.key === "Tab") this.popup.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  }
}
