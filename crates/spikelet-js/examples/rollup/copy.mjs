// Rollup bundles no Workers: the folder of the package is served as it is, and src/main.js names the script of its Worker.

import { cpSync } from "node:fs";

cpSync("node_modules/spikelet", "dist/spikelet", { recursive: true, dereference: true });
cpSync("index.html", "dist/index.html");
