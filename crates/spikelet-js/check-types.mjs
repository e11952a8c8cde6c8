// Checks that ts/network.ts agrees with docs/network.schema.json (`npm run network` regenerates it), and compiles test/types against the built package
// as projects do: with the resolution of bundlers, with the older one of Node, and as JSX.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../../target");

function run(...words) {
  return execFileSync(process.execPath, words, { cwd: here, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function checkNetwork() {
  const words = JSON.parse(readFileSync(join(here, "package.json"), "utf8")).scripts.network.split(" ");
  words.splice(words.indexOf("--output"), 2);
  const now = run("node_modules/json-schema-to-typescript/dist/src/cli.js", ...words.slice(1));
  const before = readFileSync(join(here, "ts/network.ts"), "utf8").replaceAll("\r\n", "\n");
  if (before === now) return true;
  console.error("ts/network.ts differs from docs/network.schema.json; run `npm run network` in crates/spikelet-js to regenerate it");
  return false;
}

/** A project that has installed the package. */
function install() {
  const project = join(target, "types");
  rmSync(project, { recursive: true, force: true });
  cpSync(join(here, "test/types"), project, { recursive: true });
  mkdirSync(join(project, "node_modules"));
  symlinkSync(join(target, "engine"), join(project, "node_modules/spikelet"), "junction");
  return project;
}

function compiles(project, config) {
  try {
    run("node_modules/typescript/bin/tsc", "--project", join(project, config));
    return true;
  } catch ({ stdout }) {
    console.error(`test/types/${config}:\n${stdout}`);
    return false;
  }
}

const project = install();
const checks = [checkNetwork(), ...["tsconfig.json", "tsconfig.node.json", "tsconfig.jsx.json"].map((config) => compiles(project, config))];
if (checks.includes(false)) process.exit(1);
console.log("ts/network.ts agrees with docs/network.schema.json; test/types compiles");
