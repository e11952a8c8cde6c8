// The last step of `cargo xtask engine`: prints the files of the npm package in target/engine. Fails if a size exceeds `size-budget.json`.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "../../target/engine");
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const sizes = files(folder).map((path) => {
  const content = readFileSync(path);
  return { name: relative(folder, path).replaceAll("\\", "/"), bytes: content.length, zipped: gzipSync(content, { level: 9 }).length };
});
printTree(sizes);
checkBudget(sizes);

function files(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? files(path) : [path]));
}

function printTree(sizes) {
  const kibibytes = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`.padStart(12);
  console.log(`spikelet ${version}: target/engine${" ".repeat(19)}size        gzip`);
  let folder = "";
  for (const { name, bytes, zipped } of sizes) {
    const at = name.includes("/") ? name.slice(0, name.lastIndexOf("/") + 1) : "";
    if (at !== folder && at !== "") console.log(`  ${at}`);
    folder = at;
    const indented = at === "" ? name : `  ${name.slice(at.length)}`;
    console.log(`  ${indented.padEnd(40)}${kibibytes(bytes)}${kibibytes(zipped)}`);
  }
}

/** The gzipped size of what a browser loads, by the parts in `size-budget.json`: `*` stands for any file name in a folder. */
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
    console.error("the package exceeds size-budget.json, or lacks a part of it; find the reason before you raise a limit");
    process.exit(1);
  }
}
