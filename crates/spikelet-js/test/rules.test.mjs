// Connection rules that are functions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet, create, listen, pair } from "./simulation.mjs";

/** The network with these keys of its projection. */
const connected = (changes) => pair({ projections: [{ ...pair().projections[0], ...changes }] });

/** The spikes of 50 ms, and the number of synapses. */
async function result(t, network) {
  const simulation = await create(t, network);
  const [spikes] = listen(simulation);
  await simulation.run(50);
  return { spikes, synapses: simulation.info.synapses };
}

test("a function connects as the expression does", async (t) => {
  const expected = await result(t, connected({ connect: { rule: "condition", condition: "i % 10 == j" } }));
  assert.equal(expected.synapses, 40);
  assert.ok(expected.spikes.length > 40, `${expected.spikes.length} spikes`);
  const functions = [
    { rule: "condition", condition: (i, j) => i % 10 === j },
    { rule: "generator", j: (i) => [i % 10] },
    { rule: "generator", i: (j) => [0, 10, 20, 30].map((ten) => ten + j) },
    { rule: "generator", j: (i) => new Set([i % 10, 99]), skip_if_invalid: true },
  ];
  for (const connect of functions) assert.deepEqual(await result(t, connected({ connect })), expected);
});

test("a function is asked for the pairs of the slices", async (t) => {
  const asked = [];
  const condition = (i, j) => asked.push([i, j]) > 0;
  const { synapses } = await result(t, connected({ pre: "E[38:]", post: "R[:2]", connect: { rule: "condition", condition } }));
  assert.equal(synapses, 4);
  assert.deepEqual(asked, [[38, 0], [38, 1], [39, 0], [39, 1]]);
  const connect = { rule: "condition", condition: () => true, autapses: false };
  assert.equal((await result(t, connected({ pre: "R", connect }))).synapses, 90);
});

test("errors name the call, what it returned and what is expected", async () => {
  const cases = [
    [{ rule: "condition", condition: () => 1 }, /^projections\[0\]\.connect\.condition\(0, 0\) is 1; expected true or false$/],
    [{ rule: "generator", j: (i) => i }, /^projections\[0\]\.connect\.j\(0\) is 0; expected a list of indices$/],
    [{ rule: "generator", j: (i) => [i] }, /^an index of projections\[0\]\.connect\.j\(10\) is 10; expected a whole number from 0 to 9$/],
    [{ rule: "generator", j: () => [0.5], skip_if_invalid: true }, /j\(0\) is 0\.5; expected a whole number from 0 to 9$/],
    [{ rule: "bernoulli", condition: () => true }, /^projections\[0\]\.connect\.rule is "bernoulli"; expected "condition", since `condition` is a function$/],
    [{ rule: "condition", condition: () => true, p: 0.5 }, /^projections\[0\]\.connect\.p is 0\.5; expected only `autapses` beside a function$/],
    [{ rule: "bernoulli", p: () => 0.5 }, /^p is \(\) => 0\.5; expected a value; functions are allowed as `condition`, `i` and `j` of `connect`$/],
  ];
  for (const [connect, message] of cases) {
    await assert.rejects(Spikelet.create(connected({ connect }), { backend: "cpu" }), (error) => {
      assert.equal(error.code, "argument");
      assert.match(error.message, message);
      return true;
    });
  }
  const ends = [
    ["X", /^projections\[0\]\.pre is "X"; expected a population or source with a size$/],
    ["E[30:50]", /^projections\[0\]\.pre is "E\[30:50\]"; expected a slice within its 40 neurons$/],
    ["E[3]", /^projections\[0\]\.pre is "E\[3\]"; expected a population such as "E", or a slice such as "E\[0:800\]"$/],
  ];
  for (const [pre, message] of ends) {
    const network = connected({ pre, connect: { rule: "condition", condition: () => true } });
    await assert.rejects(Spikelet.check(network), { message });
  }
});

test("an exception of a function arrives as it is", async () => {
  const condition = () => {
    throw new RangeError("my own");
  };
  await assert.rejects(Spikelet.create(connected({ connect: { rule: "condition", condition } })), /my own/);
});
