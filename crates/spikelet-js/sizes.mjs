// Prints the files of a folder with their sizes, and compares them with `size-budget.json`; fails if one is exceeded.
//
//   node sizes.mjs package                the npm package in target/engine: the last step of `cargo xtask engine`
//   node sizes.mjs site FOLDER            the page and its engines, as `cargo xtask dist` writes them; also writes the compressed files

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ENCODINGS, checkBudget, isForPeople } from "./compress.mjs";

/** Below this, headers take as much as compression saves. */
const SMALLEST = 512;

const here = dirname(fileURLToPath(import.meta.url));
const [part, given] = process.argv.slice(2);
const budget = JSON.parse(readFileSync(join(here, "size-budget.json"), "utf8"))[part];
if (budget === undefined || (part === "site" && given === undefined)) {
  console.error("expected `package`, or `site` and its folder");
  process.exit(2);
}
const folder = part === "site" ? given : join(here, "../../target/engine");

const sizes = files(folder).map((path) => {
  const content = readFileSync(path);
  const name = relative(folder, path).replaceAll("\\", "/");
  const size = { name, bytes: content.length };
  for (const [end, compress] of Object.entries(ENCODINGS)) {
    // Files for people are not loaded with a page, and large.
    const compressed = isForPeople(name) ? undefined : compress(content);
    size[end] = Math.min(compressed?.length ?? Infinity, content.length);
    if (part === "site" && compressed && content.length >= SMALLEST && compressed.length < content.length) {
      writeFileSync(`${path}.${end}`, compressed);
    }
  }
  return size;
});
printTree(sizes);
if (!checkBudget(budget, sizes)) process.exit(1);

function files(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? files(path) : [path]));
}

function printTree(sizes) {
  const number = (bytes) => bytes.toLocaleString("en").padStart(12);
  const columns = Object.keys(ENCODINGS);
  console.log(`  ${"bytes".padEnd(44)}${"plain".padStart(12)}${columns.map((end) => end.padStart(12)).join("")}`);
  let last = "";
  for (const size of sizes.filter(({ name }) => !isForPeople(name))) {
    const at = size.name.includes("/") ? size.name.slice(0, size.name.lastIndexOf("/") + 1) : "";
    if (at !== last && at !== "") console.log(`  ${at}`);
    last = at;
    const indented = at === "" ? size.name : `  ${size.name.slice(at.length)}`;
    console.log(`  ${indented.padEnd(44)}${number(size.bytes)}${columns.map((end) => number(size[end])).join("")}`);
  }
  const people = sizes.filter(({ name }) => isForPeople(name));
  console.log(`  and ${people.length} files that pages do not load: names, maps, types, help`);
}
