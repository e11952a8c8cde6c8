// Assemblies as a script of Node uses them. The winners are those of the native tests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Brain, SpikeletError, overlap } from "../../../target/engine/js/assemblies.js";
import { slotOf } from "../../../target/engine/js/assemblies/disc.js";

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

test("operations resolve with what they formed, and report their rounds", async (t) => {
  const brain = await create(t);
  await brain.addStimulus("T", 30);
  for (const name of ["B", "C"]) await brain.addArea(name, { n: 1000, k: 30, beta: 0.1 });
  let rounds = 0;
  brain.on("round", () => (rounds += 1));
  const formed = await brain.form("S", "A", 20);
  assert.deepEqual([formed.area, rounds], ["A", 20]);
  assert.deepEqual(formed.neurons, await brain.winners("A"));
  assert.ok(formed.stability > 0.9 && formed.support >= 30, JSON.stringify(formed));
  const { original, kept, recovered } = await brain.complete("A", 10, { fraction: 0.5, draw: 3 });
  assert.deepEqual([original, kept.length], [formed.neurons, 15]);
  assert.ok(recovered > 0.5, String(recovered));
  const [a, b] = [{ area: "A", stimulus: "S" }, { area: "B", stimulus: "T" }];
  const association = await brain.associate([a, b], "C", 10);
  assert.equal(association.images.length, 5);
  assert.equal(association.before, overlap(association.images[0].neurons, association.images[1].neurons));
  assert.ok(association.after >= association.before, JSON.stringify(association));
  const { merged } = await brain.merge([a, b], "C", 10);
  assert.deepEqual(merged.neurons, await brain.winners("C"));
  assert.equal((await brain.recall(a, "C", "B", 5)).area, "B");
  assert.ok((await brain.reciprocalProject("A", "C", 10)).returned >= 0);
  const separated = await brain.separate(["S", "T"], "C", 10);
  assert.equal(separated.overlap, overlap(separated.formed[0].neurons, separated.formed[1].neurons));
  await refused(brain.complete("A", 5, { fraction: 0 }), "invalid_value", "fraction", /at most 1/);
  await refused(brain.separate(["S", "A"], "C"), "unknown_name", "stimulus", /is an area/);
  await refused(brain.merge(["A"], "C"), "argument", "parents", /two assemblies/);
  await refused(brain.form("S", "A", 0), "argument", "rounds", /1 or more/);
});

test("a sentence is parsed with the path of each word, and a wrong word is named", async (t) => {
  const { words, root, dependencies } = await Brain.parse("cats chase mice");
  assert.equal(root, "chase");
  assert.deepEqual(dependencies.map(({ head, dependent, area }) => [head, dependent, area]), [["chase", "cats", "SUBJ"], ["chase", "mice", "OBJ"]]);
  assert.deepEqual(words.map(({ word, kind, area }) => [word, kind, area]), [
    ["cats", "noun", "SUBJ"], ["chase", "transitive verb", "VERB"], ["mice", "noun", "OBJ"],
  ]);
  assert.ok(words[1].openAreas.includes("VERB") && words[1].fibres.some(([from, to]) => from === "SUBJ" && to === "VERB"));
  assert.ok(words[1].winners.some(({ area, neurons }) => area === "VERB" && neurons instanceof Uint32Array && neurons.length === 100));
  const brain = await create(t);
  const russian = await brain.parse("sobaku vidit kot", { grammar: "russian" });
  assert.deepEqual(russian.dependencies.map(({ dependent, area }) => [dependent, area]), [["kot", "NOM"], ["sobaku", "ACC"]]);
  const grammars = await brain.grammars();
  assert.deepEqual(grammars.map(({ name }) => name), ["english", "russian"]);
  assert.ok(grammars[0].words.some(({ word, kind }) => word === "cats" && kind === "noun"));
  await refused(brain.parse("cats chase unicorns"), "unknown_name", "sentence[2]", /known words are/);
  await refused(brain.parse("cats cats chase"), "invalid_value", "sentence[1]", /word 2/);
  await refused(brain.parse(""), "invalid_value", "sentence", /empty/);
  await refused(brain.parse("cats chase mice", { grammar: "latin" }), "unknown_name", "grammar", /english, russian/);
  await refused(brain.parse("cats chase mice", { rounds: 1.5 }), "argument", "rounds", /a whole number/);
});

test("a disposed brain rejects calls", async () => {
  const brain = await Brain.create();
  const waiting = brain.info();
  brain.dispose();
  await refused(waiting, "disposed", null, /disposed/);
  await refused(brain.winners("A"), "disposed", null, /disposed/);
});

test("neurons with the same index are at different places of the discs of their areas", () => {
  const first = (area) => Array.from({ length: 100 }, (_, neuron) => slotOf(neuron, 10_000, area));
  const [subject, object] = ["SUBJ", "OBJ"].map(first);
  assert.ok(subject.filter((slot, neuron) => slot === object[neuron]).length < 5);
  // Scattered over the disc, and always at the same place.
  assert.ok(subject.every((slot) => slot >= 0 && slot < 10_000) && Math.max(...subject) - Math.min(...subject) > 9000);
  assert.deepEqual(first("SUBJ"), subject);
});
