import { h } from "../plots/dom.js";

/** Lets the user save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  // Revoked later, when the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
