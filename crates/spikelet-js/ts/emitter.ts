/** What `on` takes besides. */
export interface ListenOptions {
  /** Ends the listening when it is aborted. */
  signal?: AbortSignal;
}

/** Ends the listening. */
export type Unsubscribe = () => void;

type Listener<T> = (event: T) => void;

/** Listeners by the type of event. One that throws does not keep others from hearing. */
export class Emitter<Events extends object> {
  readonly #listeners: { [Type in keyof Events]?: Set<Listener<Events[Type]>> } = {};

  on<Type extends keyof Events>(type: Type, listener: Listener<Events[Type]>, options: ListenOptions = {}): Unsubscribe {
    if (options.signal?.aborted) return () => {};
    const all = (this.#listeners[type] ??= new Set());
    // A function that listens twice hears twice, and each listening has its own end.
    const own: Listener<Events[Type]> = (event) => listener(event);
    all.add(own);
    const end = () => {
      all.delete(own);
      options.signal?.removeEventListener("abort", end);
    };
    options.signal?.addEventListener("abort", end);
    return end;
  }

  /** Whether anybody listens: what nobody hears need not be computed. */
  hears(type: keyof Events): boolean {
    return (this.#listeners[type]?.size ?? 0) > 0;
  }

  emit<Type extends keyof Events>(type: Type, event: Events[Type]): void {
    for (const listener of [...(this.#listeners[type] ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        // To the console and to `window.onerror`, as for a listener of the browser's own.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
