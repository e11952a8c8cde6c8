// The speed of a network on a device.

import { Spikelet } from "../spikelet.js";
import { type Shared, onDevice, sentence } from "./agree.js";
import type { MeasuredCase } from "./cases.js";
import type { FigureLine } from "./lines.js";

/** Wall time of the run that gives the speed of the measured one, in s. */
const TRIAL_S = 0.1;

/** Builds a network, waits for its first spike, and measures its speed for some seconds. */
export async function figure(measured: MeasuredCase, device: "gpu" | "cpu", seconds: number, shared: Shared): Promise<FigureLine> {
  const { name, network, scale, trials, comparedMs } = measured;
  const line = { kind: "figure", case: name, device, trials } as const;
  const began = performance.now();
  let simulation: Spikelet;
  try {
    simulation = await Spikelet.create(network, { ...shared, backend: device, trials, ...(scale !== undefined && { scale }) });
  } catch (error) {
    return { ...line, error: sentence(error, shared.signal) };
  }
  try {
    await simulation.record([]);
    let firstMs: number | null = null;
    let spikes = 0;
    const end = simulation.on("spikes", ({ neurons, trial }) => {
      if (neurons.length > 0) firstMs ??= performance.now() - began;
      if (trial === 0) spikes += neurons.length;
    });
    const { dtMs, neurons, synapses, build, backend } = simulation.info;
    const steps = Math.round(comparedMs / dtMs);
    await simulation.step(steps, shared);
    end();
    const hash = simulation.spikesHash;
    const speed = await speedOf(simulation, seconds, shared);
    onDevice(simulation, device);
    return {
      ...line,
      steps_per_s: rounded(speed * trials),
      real_time_factor: rounded(1000 / (speed * trials * dtMs)),
      ...(firstMs !== null && { first_spike_ms: rounded(firstMs) }),
      build_s: rounded(build.total),
      neurons,
      synapses,
      ...(backend.threads > 0 && { threads: backend.threads }),
      compared_ms: comparedMs,
      spikes,
      ...(hash && { hash }),
    };
  } catch (error) {
    return { ...line, error: sentence(error, shared.signal) };
  } finally {
    simulation.dispose();
  }
}

/** Steps per second of wall time. */
async function speedOf(simulation: Spikelet, seconds: number, shared: Shared): Promise<number> {
  const run = async (steps: number) => {
    const began = performance.now();
    await simulation.step(steps, shared);
    return (performance.now() - began) / 1000;
  };
  let steps = 16;
  for (;;) {
    const took = await run(steps);
    // Clocks of browsers have steps of up to 1 ms.
    if (took >= Math.min(TRIAL_S, seconds)) {
      if (took >= seconds) return steps / took;
      const all = Math.max(1, Math.round((steps / took) * seconds));
      return all / (await run(all));
    }
    steps *= 4;
  }
}

/** Four digits: more say nothing. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
