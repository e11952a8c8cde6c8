// Whether ts/network.ts says what docs/network.schema.json does: `npm run network` writes it anew.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const words = JSON.parse(readFileSync("package.json", "utf8")).scripts.network.split(" ");
const output = words.indexOf("--output");
words.splice(output, 2);
const now = execFileSync(process.execPath, ["node_modules/json-schema-to-typescript/dist/src/cli.js", ...words.slice(1)], { encoding: "utf8" });
const before = readFileSync("ts/network.ts", "utf8").replaceAll("\r\n", "\n");
if (before !== now) {
  console.error("ts/network.ts differs from docs/network.schema.json; `npm run network` in crates/spikelet-js writes it anew");
  process.exit(1);
}
console.log("ts/network.ts is what docs/network.schema.json says");
