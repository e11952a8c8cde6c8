// A page without a picture: asks for jobs, runs each in an engine Worker of its own, and tells what came of it.

/** Runs `network` until `timeMs`; resolves with the wall time from the command to play until the batch that gets there. */
function run({ network, seed, timeMs }) {
  return new Promise((resolve, reject) => {
    const worker = new Worker("engine/worker.js", { type: "module" });
    const id = 1;
    const say = (type, body) => worker.postMessage({ type, body: { id, ...body } });
    const kept = []; // all spikes, as a page that draws them keeps them
    let opened, began;
    const end = (settle, value) => {
      worker.terminate();
      settle(value);
    };
    worker.onerror = (event) => end(reject, event.message ?? "the engine's Worker could not be loaded");
    worker.onmessage = ({ data: { type, body } }) => {
      switch (type) {
        case "ready":
          return say("open", { source: { from: "json", text: network }, backend: "cpu", seed });
        case "opened":
          opened = body;
          began = performance.now();
          return say("play");
        case "batch": {
          kept.push([body.spike_neurons, body.spike_steps]);
          if (body.time_ms < timeMs) return say("taken", { batch: body.number });
          const wallSeconds = (performance.now() - began) / 1000;
          return end(resolve, tell(opened, kept, wallSeconds, body.time_ms));
        }
        case "failed":
          return end(reject, body.message);
      }
    };
  });
}

function tell(opened, kept, wallSeconds, timeMs) {
  const counts = new Float64Array(opened.neurons);
  for (const [neurons] of kept) for (const neuron of neurons) counts[neuron] += 1;
  const rate = ({ name, first, size }) => {
    const spikes = counts.subarray(first, first + size).reduce((sum, count) => sum + count, 0);
    return [name, (spikes / size / timeMs) * 1000];
  };
  return {
    wall_seconds: wallSeconds,
    time_ms: timeMs,
    threads: opened.backend.threads,
    rates_hz: Object.fromEntries(opened.network.populations.map(rate)),
  };
}

for (;;) {
  const answer = await fetch("job");
  if (!answer.ok) break;
  const job = await answer.json();
  const result = await run(job).catch((error) => ({ error: String(error) }));
  await fetch("result", { method: "POST", body: JSON.stringify(result) });
}
