// Reads the functions of a WebAssembly module with their names, which lie beside it (`….names`) once they are split off.
//
//   node functions.mjs MODULE.wasm              the largest functions, and sums by crate: what makes a module large
//   node functions.mjs MODULE.names < stack     a stack of a browser with names instead of numbers

import { existsSync, readFileSync } from "node:fs";

const [file] = process.argv.slice(2);
if (file === undefined || !/\.(wasm|names)$/.test(file)) {
  console.error("expected a module, `….wasm`, or its names, `….names`");
  process.exit(2);
}
if (file.endsWith(".names")) resolve(namesIn(file));
else list(file);

/** Names by number, of a file with a line for each. */
function namesIn(file) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return new Map(lines.map((line) => [Number(line.slice(0, line.indexOf(" "))), line.slice(line.indexOf(" ") + 1)]));
}

/** Browsers write `wasm-function[123]`, and Node `wasm://wasm/0123abcd:wasm-function[123]:0x4567`. */
function resolve(names) {
  const stack = readFileSync(0, "utf8");
  process.stdout.write(stack.replace(/wasm-function\[(\d+)\]/g, (whole, number) => names.get(Number(number)) ?? whole));
}

function list(file) {
  const beside = file.replace(/\.wasm$/, ".names");
  const names = existsSync(beside) ? namesIn(beside) : new Map();
  const { imported, bodies } = functionsOf(readFileSync(file));
  const all = bodies.map((bytes, index) => ({ bytes, name: names.get(imported + index) ?? `wasm-function[${imported + index}]` }));
  all.sort((a, b) => b.bytes - a.bytes);
  const crates = new Map();
  for (const { bytes, name } of all) {
    const crate = /[a-z]\w*(?=::)/.exec(name)?.[0] ?? "(no crate)";
    crates.set(crate, (crates.get(crate) ?? 0) + bytes);
  }
  const line = (bytes, name) => console.log(`${bytes.toLocaleString("en").padStart(12)}  ${name.slice(0, 160)}`);
  console.log(`${all.length} functions, sums by crate:`);
  for (const [crate, bytes] of [...crates].sort((a, b) => b[1] - a[1]).slice(0, 30)) line(bytes, crate);
  console.log("the largest:");
  for (const { bytes, name } of all.slice(0, 40)) line(bytes, name);
}

/** Number of imported functions, and the size of each other one. */
function functionsOf(module) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const bodies = [];
  while (at < module.length) {
    const id = module[at++];
    const end = number() + at;
    if (id === 10) {
      for (let left = number(); left > 0; left -= 1) {
        const bytes = number();
        bodies.push(bytes);
        at += bytes;
      }
    }
    at = end;
  }
  return { imported: WebAssembly.Module.imports(new WebAssembly.Module(module)).filter(({ kind }) => kind === "function").length, bodies };
}
