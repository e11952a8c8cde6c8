/** Options of `on`. */
export interface ListenOptions {
  /** Removes the listener when it is aborted. */
  signal?: AbortSignal;
}

/** Removes the listener. */
export type Unsubscribe = () => void;

type Listener<T> = (event: T) => void;

/** Listeners by type of event. An exception in one does not affect the others. */
export class Emitter<Events extends object> {
  readonly #listeners: { [Type in keyof Events]?: Set<Listener<Events[Type]>> } = {};

  on<Type extends keyof Events>(type: Type, listener: Listener<Events[Type]>, options: ListenOptions = {}): Unsubscribe {
    if (options.signal?.aborted) return () => {};
    const all = (this.#listeners[type] ??= new Set());
    // A function that is added twice is called twice; each registration is removed separately.
    const own: Listener<Events[Type]> = (event) => listener(event);
    all.add(own);
    const end = () => {
      all.delete(own);
      options.signal?.removeEventListener("abort", end);
    };
    options.signal?.addEventListener("abort", end);
    return end;
  }

  /** Whether there is a listener; otherwise the event need not be computed. */
  hears(type: keyof Events): boolean {
    return (this.#listeners[type]?.size ?? 0) > 0;
  }

  emit<Type extends keyof Events>(type: Type, event: Events[Type]): void {
    for (const listener of [...(this.#listeners[type] ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        // Reported to the console and to `window.onerror`, as for a listener of the browser.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
