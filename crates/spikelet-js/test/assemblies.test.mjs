// Assemblies as a script of Node uses them. The winners are those of the native tests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Brain, SpikeletError, overlap } from "../../../target/engine/js/assemblies.js";

/** A line for each mode: the hash of the winners in the native test. */
const WINNERS = readFileSync(new URL("../../spikelet-assemblies-js/winners.txt", import.meta.url), "utf8");

/** FNV-1a of the winners, as the native test computes it too. */
function hash(winners) {
  let hash = 0x811c9dc5;
  for (const byte of new Uint8Array(winners.buffer, winners.byteOffset, winners.byteLength)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** A brain with a stimulus S and areas A and B, disposed of at the end of the test. */
async function create(test, options = {}) {
  const brain = await Brain.create({ p: 0.05, seed: 7, ...options });
  test.after(() => brain.dispose());
  await brain.addStimulus("S", 30);
  await brain.addArea("A", { n: 1000, k: 30, beta: 0.1 });
  return brain;
}

async function refused(promise, code, path, message) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof SpikeletError, String(error));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
    assert.match(error.message, message);
    return true;
  });
}

test("winners are those of the native module, in each mode", async (t) => {
  for (const mode of ["explicit", "procedural", "lazy"]) {
    const brain = await create(t, { mode });
    await brain.project({ S: "A" });
    await brain.project({ S: "A", A: "A" }, 9);
    assert.ok(WINNERS.includes(`${mode} ${hash(await brain.winners("A"))}\n`), `${mode} ${hash(await brain.winners("A"))}`);
  }
});

test("rounds are reported with their fibres and winners, and an assembly forms", async (t) => {
  const brain = await create(t);
  const rounds = [];
  const end = brain.on("round", (round) => rounds.push(round));
  await brain.project({ S: ["A"] });
  await brain.project({ S: "A", A: "A" }, 19);
  assert.deepEqual(rounds.map(({ round }) => round), Array.from({ length: 20 }, (_, place) => place + 1));
  assert.deepEqual(rounds[1].fibres, [["S", "A"], ["A", "A"]]);
  assert.deepEqual(rounds[19].winners.get("A"), await brain.winners("A"));
  assert.ok(overlap(rounds[19].winners.get("A"), rounds[18].winners.get("A")) > 0.9);
  end();
  await brain.project({ S: "A" });
  assert.equal(rounds.length, 20);
  assert.equal((await brain.info()).rounds, 21);
});

test("areas are fixed, activated and described", async (t) => {
  const brain = await create(t);
  await brain.addArea("L", { n: 100, k: 10, explicit: true });
  await brain.activate("L", 3);
  assert.deepEqual([...(await brain.winners("L"))], Array.from({ length: 10 }, (_, place) => 30 + place));
  await brain.setBeta("L", "A", 0.2);
  await brain.project({ L: "A" }, 3);
  await brain.unfix("L");
  await brain.setWinners("L", new Uint32Array([5, 4]));
  assert.deepEqual([...(await brain.winners("L"))], [4, 5]);
  await brain.setPlasticity(false);
  const info = await brain.info();
  assert.deepEqual(info.areas.map(({ name, n, k, fixed }) => [name, n, k, fixed]), [["A", 1000, 30, false], ["L", 100, 10, false]]);
  assert.deepEqual([info.plastic, info.stimuli], [false, [{ name: "S", size: 30 }]]);
  assert.equal(await brain.support("A"), info.areas[0].support);
  assert.ok((await brain.memory()).some(({ what, bytes }) => /synapses L → A/.test(what) && bytes > 0));
});

test("wrong values are refused with the place and the way out", async (t) => {
  const brain = await create(t);
  await refused(Brain.create({ p: 2 }), "argument", "p", /above 0, at most 1/);
  await refused(Brain.create({ mode: "fast" }), "argument", "mode", /"lazy"/);
  await refused(Brain.create({ seeds: 2 }), "argument", "seeds", /the options here are/);
  await refused(brain.addArea("A", { n: 10, k: 1 }), "invalid_value", "name", /choose another name/);
  await refused(brain.addArea("B", { n: 10, k: 11 }), "invalid_value", "k", /at most n/);
  await refused(brain.addArea("B", { n: 10.5, k: 1 }), "argument", "n", /a whole number/);
  await refused(brain.project({ Q: "A" }), "unknown_name", "area or stimulus", /there are A, S/);
  await refused(brain.project("S"), "argument", "fibres", /such as/);
  await refused(brain.fix("A"), "invalid_value", "area", /no winners yet/);
  await refused(brain.activate("A", 0), "invalid_value", "winners", /lazy/);
  await refused(brain.support("Q"), "argument", "area", /the name of an area: A/);
  // All that was right before is still there.
  await brain.project({ S: "A" });
  assert.equal((await brain.winners("A")).length, 30);
});

test("a projection is stopped by its signal, and what was computed stays", async (t) => {
  const brain = await create(t);
  const stop = new AbortController();
  brain.on("round", ({ round }) => round === 5 && stop.abort(new Error("enough")));
  await assert.rejects(brain.project({ S: "A", A: "A" }, 1e9, { signal: stop.signal }), /enough/);
  const { rounds } = await brain.info();
  assert.ok(rounds >= 5 && rounds < 1e9, String(rounds));
});

test("a disposed brain rejects calls", async () => {
  const brain = await Brain.create();
  const waiting = brain.info();
  brain.dispose();
  await refused(waiting, "disposed", null, /disposed/);
  await refused(brain.winners("A"), "disposed", null, /disposed/);
});
