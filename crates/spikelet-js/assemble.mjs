// A step of `cargo xtask engine`: compiles the scripts and copies the other files of the npm package to target/engine, beside the modules.
// Its arguments are passed to the compiler.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { buildSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const folder = join(root, "target/engine");

// Removes files of earlier versions of the package.
const MODULES = ["mt", "st", "assemblies", "training", "interchange"];
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!MODULES.includes(name)) rmSync(join(folder, name), { recursive: true });

const compiler = [join(here, "node_modules/typescript/bin/tsc"), "--project", here, ...process.argv.slice(2)];
execFileSync(process.execPath, compiler, { cwd: here, stdio: "inherit" });
// Another package is in it; pages get no import without a path.
buildSync({ entryPoints: [join(here, "ts/qr/element.ts")], outfile: join(folder, "js/qr/element.js"), bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "inline", allowOverwrite: true });
rmSync(join(folder, "js/qr/element.js.map"), { force: true });
for (const [from, to] of [
  ["js/isolate.js", "isolate.js"],
  ["README.md", "README.md"],
  ["../../LICENSE-MIT", "LICENSE-MIT"],
  ["../../LICENSE-APACHE", "LICENSE-APACHE"],
  ["../../docs/network.schema.json", "network.schema.json"],
]) {
  copyFileSync(join(here, from), join(folder, to));
}
// Entries of the manifest that users of the package do not need.
const { devDependencies, scripts, private: unpublished, ...manifest } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
