// The last step of `cargo xtask engine`: compiles the scripts and puts all else that belongs to the npm package beside the engines
// that lie in target/engine already. Prints what is in it; fails where it is larger than `size-budget.json` allows.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const folder = join(root, "target/engine");

// What an earlier version of the package has left there.
const ENGINES = ["mt", "st"];
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!ENGINES.includes(name)) rmSync(join(folder, name), { recursive: true });

tool("typescript/bin/tsc", ["--project", here]);
for (const [from, to] of [
  ["js/isolate.js", "isolate.js"],
  ["README.md", "README.md"],
  ["../../LICENSE-MIT", "LICENSE-MIT"],
  ["../../LICENSE-APACHE", "LICENSE-APACHE"],
  ["../../docs/network.schema.json", "network.schema.json"],
]) {
  copyFileSync(join(here, from), join(folder, to));
}
// What builds the package is nothing to those who use it.
const { devDependencies, scripts, private: unpublished, ...manifest } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);

const sizes = files(folder).map((path) => {
  const content = readFileSync(path);
  return { name: relative(folder, path).replaceAll("\\", "/"), bytes: content.length, zipped: gzipSync(content, { level: 9 }).length };
});
printTree(sizes);
checkBudget(sizes);

// The page's help, in target/help.
tool("typedoc/bin/typedoc", ["--options", join(here, "typedoc.mjs")]);

/** Runs a tool of `devDependencies`; what it has to say is shown. */
function tool(script, words) {
  try {
    execFileSync(process.execPath, [join(here, "node_modules", script), ...words], { cwd: here, stdio: "inherit" });
  } catch (error) {
    console.error(`${script} failed (${error.message})`);
    process.exit(1);
  }
}

function files(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? files(path) : [path]));
}

function printTree(sizes) {
  const kibibytes = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`.padStart(12);
  console.log(`spikelet ${manifest.version}: target/engine${" ".repeat(19)}size        gzip`);
  let folder = "";
  for (const { name, bytes, zipped } of sizes) {
    const at = name.includes("/") ? name.slice(0, name.lastIndexOf("/") + 1) : "";
    if (at !== folder && at !== "") console.log(`  ${at}`);
    folder = at;
    const indented = at === "" ? name : `  ${name.slice(at.length)}`;
    console.log(`  ${indented.padEnd(40)}${kibibytes(bytes)}${kibibytes(zipped)}`);
  }
}

/** What a browser loads, in gzipped bytes, by the parts that `size-budget.json` names: `*` stands for any name in one folder. */
function checkBudget(sizes) {
  const budget = JSON.parse(readFileSync(join(here, "size-budget.json"), "utf8"));
  let exceeded = false;
  for (const [pattern, kibibytes] of Object.entries(budget)) {
    const expression = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
    const of = sizes.filter(({ name }) => expression.test(name));
    const sum = of.reduce((total, { zipped }) => total + zipped, 0) / 1024;
    const isOver = of.length === 0 || sum > kibibytes;
    exceeded ||= isOver;
    console.log(`  ${isOver ? "✗" : "✓"} ${pattern}: ${sum.toFixed(1)} of ${kibibytes} KiB gzipped`);
  }
  if (exceeded) {
    console.error("the package is larger than size-budget.json allows, or lacks a part of it; find out why before raising a budget");
    process.exit(1);
  }
}
