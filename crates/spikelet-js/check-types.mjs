// Checks that ts/network.ts agrees with docs/network.schema.json; `npm run network` regenerates it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const words = JSON.parse(readFileSync("package.json", "utf8")).scripts.network.split(" ");
const output = words.indexOf("--output");
words.splice(output, 2);
const now = execFileSync(process.execPath, ["node_modules/json-schema-to-typescript/dist/src/cli.js", ...words.slice(1)], { encoding: "utf8" });
const before = readFileSync("ts/network.ts", "utf8").replaceAll("\r\n", "\n");
if (before !== now) {
  console.error("ts/network.ts differs from docs/network.schema.json; run `npm run network` in crates/spikelet-js to regenerate it");
  process.exit(1);
}
console.log("ts/network.ts agrees with docs/network.schema.json");
