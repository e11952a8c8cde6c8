// Builds the widget of notebooks: `node widget.mjs [PACKAGE]` bundles the npm package, by default `target/engine`, to
// `python/spikelet/widget/static`: `widget.js`, one module with the element and the script of the Worker, and `engine.wasm.gz`, the engine with one
// thread, which the kernel sends to the page.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
/** Among the tools of the npm package. */
const { build } = createRequire(join(here, "../spikelet-js/package.json"))("esbuild");
const npm = resolve(process.argv[2] ?? join(here, "../../target/engine"));
const out = join(here, "python/spikelet/widget/static");

const wasm = join(npm, "st/spikelet_engine_bg.wasm");
for (const file of [wasm, join(npm, "js/element.js")]) {
  if (!existsSync(file)) throw new Error(`${file} is missing; build the npm package first: cargo xtask engine`);
}

/** Parts of the package that the widget does not have. */
const ABSENT = /\/(mt|assemblies|training|interchange)\/spikelet_\w+\.js$|\/training\/(run|training)\.js$|^node:/;

const fromPackage = {
  name: "package",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^spikelet$/ }, () => ({ path: join(npm, "js/index.js") }));
    onResolve({ filter: /^spikelet\/element$/ }, () => ({ path: join(npm, "js/element.js") }));
    onResolve({ filter: /^spikelet\/worker\.js$/ }, () => ({ path: join(npm, "js/worker.js") }));
    onResolve({ filter: ABSENT }, ({ path }) => ({ path, namespace: "absent" }));
    onLoad({ filter: /.*/, namespace: "absent" }, ({ path }) => ({ contents: `throw new Error("the widget does not have ${path}")` }));
    onResolve({ filter: /^bundle:worker$/ }, ({ path }) => ({ path, namespace: "bundle" }));
    onLoad({ filter: /.*/, namespace: "bundle" }, async () => ({ contents: await workerScript(), loader: "text" }));
  },
};

const common = { bundle: true, minify: true, write: false, target: "es2022", charset: "utf8", legalComments: "none", plugins: [fromPackage], logLevel: "warning", supported: { "import-meta": true } };

/** The Worker in one classic script: pages that allow no module Workers from blobs allow it. */
async function workerScript() {
  const define = { "import.meta.url": "location.href" };
  const { outputFiles } = await build({ ...common, define, entryPoints: [join(here, "widget/worker.js")], format: "iife" });
  return outputFiles[0].text;
}

const engine = gzipSync(readFileSync(wasm), { level: 9 });
const bundled = async (name) =>
  (await build({ ...common, entryPoints: [join(here, "widget/index.js")], format: "esm", define: { __BUILD__: JSON.stringify(name) } })).outputFiles[0].text;
// Its own hash is the name of a build.
const hash = createHash("sha256").update(engine).update(await bundled("")).digest("hex").slice(0, 12);
const script = await bundled(hash);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "widget.js"), script);
writeFileSync(join(out, "engine.wasm.gz"), engine);
console.log(`widget.js ${script.length} bytes, engine.wasm.gz ${engine.length} bytes, build ${hash}`);
