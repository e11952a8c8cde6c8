// The widget of notebooks: the module that anywidget loads.

import { View } from "./view.js";

export default {
  /** Shows the widget in an output of the notebook. */
  render({ model, el, signal }) {
    const view = new View(model, el);
    signal?.addEventListener("abort", () => view.end());
    // Without a signal, in earlier versions of anywidget, the returned function is called.
    return () => view.end();
  },
};
