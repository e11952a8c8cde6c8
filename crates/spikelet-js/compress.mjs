// How a static host sends files: compressed once, with the strongest settings.

import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Encodings: the end of a compressed file's name, and how it is made. */
export const ENCODINGS = {
  br: (content) =>
    brotliCompressSync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gz: (content) => gzipSync(content, { level: 9 }),
};

/** Files that people read, not browsers: they are published, but not loaded with a page. */
export const isForPeople = (name) => /\.(names|map|d\.ts|md)$|(^|\/)(LICENSE-|help\/|package\.json)/.test(name);

/**
 * The files of a part in a budget, a pattern in which `*` stands for any file name in a folder; several patterns are separated by blanks.
 */
export function filesOf(part, sizes) {
  const expressions = part.split(" ").map((pattern) => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`));
  return sizes.filter(({ name }) => !isForPeople(name) && expressions.some((expression) => expression.test(name)));
}

/**
 * Compares the files with a budget, in bytes after brotli and gzip: `{ part: { br: [limit, now], gz: [limit, now] } }`. Prints each part, and
 * for one that is too large its files, and how to find out why. Returns whether all parts fit.
 */
export function checkBudget(budget, sizes) {
  let fits = true;
  for (const [part, { files, ...limits }] of Object.entries(budget)) {
    const found = filesOf(files, sizes);
    const sums = Object.keys(limits).map((encoding) => [encoding, found.reduce((total, size) => total + size[encoding], 0)]);
    const over = sums.filter(([encoding, sum]) => sum > limits[encoding]);
    const isMissing = found.length === 0;
    const text = sums.map(([encoding, sum]) => `${sum.toLocaleString("en")} of ${limits[encoding].toLocaleString("en")} bytes ${encoding}`);
    console.log(`  ${over.length > 0 || isMissing ? "✗" : "✓"} ${part}: ${text.join(", ")}`);
    if (over.length === 0 && !isMissing) continue;
    fits = false;
    if (isMissing) console.error(`${part}: there are no files ${files}; build them, or correct size-budget.json`);
    for (const [encoding, sum] of over) {
      console.error(
        `${part} is ${(sum - limits[encoding]).toLocaleString("en")} bytes larger than size-budget.json allows (${encoding}). Its files:\n` +
          found.map((size) => `    ${size.name}: ${size[encoding].toLocaleString("en")} bytes`).join("\n") +
          "\nCompare the functions of the module with those of an earlier build by `node crates/spikelet-js/functions.mjs MODULE.wasm`.\n" +
          "Raise the limit only for a reason that stands in the commit.",
      );
    }
  }
  return fits;
}
