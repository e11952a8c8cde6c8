/// <reference lib="esnext.disposable" preserve="true" />

/** Disposed of at the end of a block with `using` or `await using`. */
export interface Usable extends Disposable, AsyncDisposable {}

/** A class whose objects have `dispose()`. */
interface Disposing {
  readonly prototype: { dispose(): void };
}

/**
 * Lets `using` and `await using` dispose the objects of a class. Browsers without these declarations lack the symbols; those of a polyfill are used
 * if it is loaded before this package.
 */
export function letUsingDispose({ prototype }: Disposing): void {
  const symbols: Partial<Pick<SymbolConstructor, "dispose" | "asyncDispose">> = Symbol;
  const define = (symbol: symbol | undefined, value: (this: Disposing["prototype"]) => unknown) => {
    if (symbol) Object.defineProperty(prototype, symbol, { value, configurable: true, writable: true });
  };
  define(symbols.dispose, function () {
    this.dispose();
  });
  define(symbols.asyncDispose, async function () {
    this.dispose();
  });
}
