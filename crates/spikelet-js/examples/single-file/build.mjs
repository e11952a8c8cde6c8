// Writes dist/index.html: one file with the page, the script of its Worker and the engine of one thread. It needs no server: it can be opened from
// the disk, or be the output of a cell of a notebook.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const PACKAGE = "node_modules/spikelet";

/** A script with all that it imports. */
async function bundle(file, format) {
  // The Worker is a classic script, which has no address: its modules are provided.
  const logOverride = { "empty-import-meta": "silent" };
  const { outputFiles } = await build({ entryPoints: [file], bundle: true, minify: true, format, logOverride, write: false });
  return outputFiles[0].contents;
}

const text = (bytes) => Buffer.from(bytes).toString("base64");
const data = (id, bytes) => `<script type="text/plain" id="${id}">${text(bytes)}</script>`;

const page = `<!doctype html>
<meta charset="utf-8">
<title>Spikelet in a single file</title>
<link rel="icon" href="data:,">
<body>
${data("engine", await readFile(`${PACKAGE}/st/spikelet_engine_bg.wasm`))}
${data("worker", await bundle(`${PACKAGE}/js/worker.js`, "iife"))}
<script type="module" src="data:text/javascript;base64,${text(await bundle("src/main.js", "esm"))}"></script>
</body>
`;
await mkdir("dist", { recursive: true });
await writeFile("dist/index.html", page);
