// Whether CPU and GPU give the same spikes of a network, and if not, where they begin to differ.

import { SpikeletError } from "../errors.js";
import type { CreateOptions } from "../options.js";
import { Spikelet } from "../spikelet.js";
import type { FirstDifference, KernelsLine, NetworkLine } from "./lines.js";
import { differenceOf } from "./state.js";

/** The options that both runs share. */
export type Shared = Pick<CreateOptions, "worker" | "signal">;

/** A network that is compared. */
export interface ComparedNetwork {
  readonly name: string;
  /** A small size. */
  readonly scale: number;
  readonly steps: number;
}

/** Compiles the kernels of a network, runs it on both devices, and compares them. */
export async function compare({ name, scale, steps }: ComparedNetwork, shared: Shared, found: (line: KernelsLine | NetworkLine) => void): Promise<void> {
  const options: CreateOptions = { ...shared, scale };
  let gpu: Spikelet;
  try {
    gpu = await Spikelet.create(name, { ...options, backend: "gpu" });
  } catch (error) {
    return found({ kind: "kernels", network: name, error: sentence(error, shared.signal) });
  }
  let cpu: Spikelet | null = null;
  try {
    found({ kind: "kernels", network: name });
    cpu = await Spikelet.create(name, { ...options, backend: "cpu" });
    await Promise.all([gpu.step(steps, shared), cpu.step(steps, shared)].map((run) => run.catch((error: unknown) => failed(error, shared.signal))));
    onDevice(gpu, "gpu");
    const [ofCpu, ofGpu] = [cpu.spikesHash, gpu.spikesHash];
    const equal = ofCpu !== null && ofCpu === ofGpu;
    const first = equal ? null : await firstDifference(cpu, gpu, steps, shared.signal);
    found({ kind: "network", network: name, steps, ...(ofCpu && { cpu: ofCpu }), ...(ofGpu && { gpu: ofGpu }), equal, ...(first && { first }) });
  } catch (error) {
    found({ kind: "network", network: name, steps, equal: false, error: sentence(error, shared.signal) });
  } finally {
    gpu.dispose();
    cpu?.dispose();
  }
}

/** Fails if the run has continued on another device. */
export function onDevice({ info: { backend }, notices }: Spikelet, device: "gpu" | "cpu"): void {
  if (backend.kind !== device) throw new Error(notices.find(({ code }) => code === "device_lost")?.message ?? `it ran on the ${backend.kind}: ${backend.reason}`);
}

/** The sentence of an error; rejects with the reason if the report was stopped. */
export function sentence(error: unknown, signal: AbortSignal | undefined): string {
  signal?.throwIfAborted();
  return error instanceof Error ? error.message : String(error);
}

/** A condition of the network may end a run: both are compared at its end. */
function failed(error: unknown, signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
  if (!(error instanceof SpikeletError) || error.code !== "ended") throw error;
}

/**
 * The first value that differs. Both run from t = 0 in twice as many steps each time until their states differ; then the last steps are halved.
 */
export async function firstDifference(cpu: Spikelet, gpu: Spikelet, steps: number, signal: AbortSignal | undefined): Promise<FirstDifference | null> {
  const both = [cpu, gpu] as const;
  const sizes = new Map(cpu.info.network.populations.map(({ name, size }) => [name, size]));
  await Promise.all(both.map((one) => one.reset()));
  let equal: readonly [Uint8Array, Uint8Array] | null = null;
  let [step, length] = [0, 1];
  let found: FirstDifference | null = null;
  while (step < steps) {
    signal?.throwIfAborted();
    const taken = Math.min(length, steps - step);
    await Promise.all(both.map((one) => one.step(taken)));
    const states = await Promise.all([cpu.snapshot(), gpu.snapshot()]);
    const difference = differenceOf(step + taken - 1, ...states, sizes);
    if (difference === null) {
      equal = states;
      step += taken;
      // After a difference, the rest is halved.
      length = found === null ? 2 * length : Math.max(1, taken >> 1);
      continue;
    }
    found = difference;
    if (taken === 1) return difference;
    length = taken >> 1;
    await Promise.all(both.map((one, place) => (equal ? one.restore(equal[place]!, { rewind: true }) : one.reset())));
  }
  return found;
}
