import { worded } from "../errors.js";
import { h } from "../plots/dom.js";
import { Theme } from "../plots/theme.js";
import { style } from "./style.js";
import { TypedElement } from "./typed.js";

/** A custom element that is built when it is connected, and built again when an attribute changes. */
export abstract class RebuiltElement<Events extends object> extends TypedElement<Events> {
  readonly #root: ShadowRoot;
  #life: AbortController | null = null;
  #isRebuilding = false;

  /** @internal @param sheet The rules beside those of every element. */
  constructor(sheet: CSSStyleSheet) {
    super();
    this.#root = this.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = [style(), sheet];
  }

  /** @internal Adds the content, which ends with the signal. An error is shown instead of it. */
  protected abstract fill(base: HTMLElement, theme: Theme, end: AbortSignal): void;

  /** @internal Draws again, in other colours. */
  protected abstract redraw(): void;

  /** @internal Handles a changed attribute that needs no new content. */
  protected adopts(_name: string): boolean {
    return false;
  }

  /** @internal */
  connectedCallback(): void {
    this.#build();
  }

  /** @internal The content stays if the element is moved by `moveBefore`. */
  connectedMoveCallback(): void {}

  /** @internal */
  disconnectedCallback(): void {
    this.#life?.abort();
    this.#life = null;
  }

  /** @internal Several attributes that change together make new content once. */
  attributeChangedCallback(name: string): void {
    if (!this.#life || this.#isRebuilding || this.adopts(name)) return;
    this.#isRebuilding = true;
    queueMicrotask(() => {
      this.#isRebuilding = false;
      if (this.#life) this.#build();
    });
  }

  #build(): void {
    this.#life?.abort();
    const life = (this.#life = new AbortController());
    const theme = new Theme("--_", () => this.redraw());
    const base = h("div", { part: "base", class: "base" }, theme.probe);
    this.#root.replaceChildren(base);
    try {
      this.fill(base, theme, life.signal);
    } catch (error) {
      this.#root.replaceChildren(h("div", { class: "base" }, h("p", { class: "wrong", role: "alert", part: "error" }, worded(error).message)));
    }
  }
}
