// A step of `cargo xtask release`: writes SHA256SUMS of all files in a folder and below, in the format of `sha256sum`.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const folder = process.argv[2];
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== "SHA256SUMS")
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .sort();
const lines = files.map((file) => `${createHash("sha256").update(readFileSync(join(folder, file))).digest("hex")}  ${file}\n`);
writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
