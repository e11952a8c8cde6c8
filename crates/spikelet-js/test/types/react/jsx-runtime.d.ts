import * as React from "./";

export namespace JSX {
  type Element = React.JSX.Element;
  interface IntrinsicElements extends React.JSX.IntrinsicElements {}
}
