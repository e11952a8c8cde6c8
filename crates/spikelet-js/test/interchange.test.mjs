// Files of other tools.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { droppedFiles, exportNetwork, openFile } from "../../../target/engine/js/interchange.js";
import { Spikelet, SpikeletError, pair } from "./simulation.mjs";

const TESTS = join(import.meta.dirname, "../../../tests");

function files(folder, names = readdirSync(join(TESTS, folder))) {
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(TESTS, folder, name))]));
}

async function spikes(t, network) {
  const simulation = await Spikelet.create(network, { backend: "cpu", statistics: true });
  t.after(() => simulation.dispose());
  await simulation.run(200);
  return (await simulation.statistics()).populations.reduce((sum, of) => sum + of.spikes, 0);
}

async function refused(promise, code, message) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof SpikeletError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

test("a file is opened with those that it names", async (t) => {
  const opened = await openFile(files("neuroml", ["hh.xml", "hh.nml"]));
  assert.deepEqual([opened.file, opened.format], ["hh.xml", "NeuroML"]);
  // Seven in 300 ms, of which the listed times have six before 200 ms.
  assert.equal(await spikes(t, opened.json), 7);
  const byAddress = await openFile(pathToFileURL(join(TESTS, "neuroml/hh.xml")));
  assert.equal(byAddress.json, opened.json);
});

test("a circuit is opened from its files, in folders or without", async (t) => {
  const circuit = files("sonata/iaf_psc_exp");
  const opened = await openFile(circuit);
  assert.deepEqual([opened.file, opened.format], ["config.json", "a configuration of SONATA"]);
  assert.equal(await spikes(t, opened.json), 214);
  const inFolder = Object.fromEntries(Object.entries(circuit).map(([name, content]) => [`circuit/${name}`, new Blob([content])]));
  assert.equal((await openFile(inFolder)).json, opened.json);
  assert.equal((await openFile(pathToFileURL(join(TESTS, "sonata/iaf_psc_exp/config.json")))).json, opened.json);
});

test("what is missing or wrong is one sentence", async () => {
  await refused(openFile(files("neuroml", ["hh.xml"])), "invalid_value", /hh\.xml.*hh\.nml.*not among the files/s);
  await refused(openFile({ "a.txt": "hello" }), "invalid_value", /a\.txt.*none of them is of a format/s);
  await refused(openFile({ ...files("neuroml", ["iaf.xml", "pair.xml"]) }), "invalid_value", /several of them can be opened, such as/);
  await refused(openFile({ "a.nml": "<neuroml id='x'>" }), "invalid_value", /a\.nml/);
  await refused(openFile({ "a.nir": 5 }), "argument", /^source\["a\.nir"\] is 5; expected bytes/);
  await refused(openFile(7), "argument", /^source is 7; expected a URL, or/);
  await refused(openFile({}, { dtMs: 0 }), "argument", /^dtMs is 0/);
  await refused(openFile({}, { main: "x" }), "argument", /main/);
  await refused(openFile(new URL("file:///nowhere/a.nml")), "fetch", /nowhere/);
  await refused(openFile(files("neuroml", ["hh.xml", "hh.nml"]), { file: "hh.xm" }), "unknown_name", /hh\.xm.*hh\.xml/s);
});

test("a network is written for other tools", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "spikelet-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const { files: of, notices } = await exportNetwork("cuba", "nest", { scale: 0.05 });
  assert.deepEqual([Object.keys(of), notices], [["network.py", "values.npz"], []]);
  assert.match(new TextDecoder().decode(of["network.py"]), /E = nest\.Create\('iaf_psc_exp', 160, /);
  writeFileSync(join(folder, "values.npz"), of["values.npz"]);
  const { files: zipped } = await exportNetwork("cuba", "brian2", { scale: 0.05, zip: true });
  assert.deepEqual(Object.keys(zipped), ["brian2.zip"]);
  assert.deepEqual([...zipped["brian2.zip"].subarray(0, 4)], [0x50, 0x4b, 3, 4]);
  await refused(exportNetwork(pair(), "nest"), "invalid_value", /cannot be written for NEST: it does not have the cells of R: they have noise/);
  await refused(exportNetwork("cuba", "matlab"), "argument", /^format is "matlab"; expected one of brian2, nest/);
  await refused(exportNetwork({ name: 1 }, "nest"), "invalid_value", /name/);
});

test("files of folders that are dropped have their paths", async () => {
  const file = (fullPath) => ({ isFile: true, fullPath, file: (found) => found(new File(["x"], fullPath.split("/").at(-1))) });
  const folder = (fullPath, inner) => {
    const parts = [inner.slice(0, 1), inner.slice(1), []];
    return { isDirectory: true, fullPath, createReader: () => ({ readEntries: (found) => found(parts.shift()) }) };
  };
  const item = (entry) => ({ kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => new File(["y"], "one.json") });
  const tree = folder("/circuit", [file("/circuit/config.json"), folder("/circuit/network", [file("/circuit/network/nodes.h5"), file("/circuit/network/edges.h5")])]);
  const found = await droppedFiles({ items: [item(tree), item(file("/one.json")), { kind: "string" }] });
  assert.deepEqual(Object.keys(found).sort(), ["circuit/config.json", "circuit/network/edges.h5", "circuit/network/nodes.h5", "one.json"]);
  assert.deepEqual(await droppedFiles(null), {});
});
