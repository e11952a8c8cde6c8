// In Node there are no elements: importing a module of an element has no effect there.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/** A custom element whose events have types. */
export abstract class TypedElement<Events extends object> extends Base {
  /**
   * @internal Sets properties again that were set before the script of the element was loaded: until then they are plain values, which hide
   * the setters. For the end of a constructor.
   */
  protected take(...names: readonly (keyof this & string)[]): void {
    for (const name of names) {
      if (!Object.hasOwn(this, name)) continue;
      const early = this[name];
      delete (this as Partial<this>)[name];
      this[name] = early;
    }
  }

  override addEventListener<Type extends keyof Events & string>(
    type: Type,
    listener: (this: this, event: Events[Type]) => unknown,
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

  override removeEventListener<Type extends keyof Events & string>(
    type: Type,
    listener: (this: this, event: Events[Type]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener<Type extends keyof HTMLElementEventMap>(
    type: Type,
    listener: (this: HTMLElement, event: HTMLElementEventMap[Type]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
  override removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void {
    super.removeEventListener(type, listener, options);
  }
}

/** Defines an element, where there are elements. */
export function define(name: string, element: CustomElementConstructor): void {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}
