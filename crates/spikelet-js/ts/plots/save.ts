import { h } from "./dom.js";

/** Lets the user save rows as a file of comma-separated values. */
export function saveTable(name: string, rows: Iterable<readonly (string | number)[]>): void {
  const lines = Array.from(rows, (row) => `${row.map(cell).join(",")}\n`);
  saveFile(name, "csv", new Blob(lines, { type: "text/csv" }));
}

/** Lets the user save a file. Signs that file systems forbid are left out of its name. */
export function saveFile(name: string, format: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: `${name.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "")}.${format}` }).click();
  // Revoked later, when the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
