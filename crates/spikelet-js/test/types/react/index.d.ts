// The declarations of @types/react 19 that `spikelet/jsx` uses.

export = React;

declare namespace React {
  interface Attributes {
    key?: string | number | bigint | null | undefined;
  }
  interface ClassAttributes<T> extends Attributes {
    ref?: ((element: T | null) => void) | { current: T | null } | null | undefined;
  }
  interface HTMLAttributes<T> {
    className?: string | undefined;
    children?: unknown;
    onError?: ((event: { currentTarget: T }) => void) | undefined;
  }
  namespace JSX {
    type Element = object;
    interface IntrinsicElements {
      main: ClassAttributes<HTMLElement> & HTMLAttributes<HTMLElement>;
    }
  }
}
