// What a project with types writes; `node check-types.mjs` compiles it against the built package.

import { type Events, type SpikeletError, type Spikes, type SynapseSample, Spikelet } from "spikelet";
import { Brain } from "spikelet/assemblies";
import type { SpikeletAssembliesElement } from "spikelet/assemblies/element";
import type { SpikeletNetworkElement } from "spikelet/element";
import { sweep } from "spikelet/experiments";
import type { SpikeletExperimentsElement } from "spikelet/experiments/element";
import { type ReportLine, gpuReport } from "spikelet/gpu-report";
import type { SpikeletGpuReportElement } from "spikelet/gpu-report/element";
import { openFile } from "spikelet/interchange";
import { Board, choose } from "spikelet/plots";
import { Drive } from "spikelet/senses";
import type { SpikeletSensesElement } from "spikelet/senses/element";
// No framework is installed here.
import type {} from "spikelet/jsx";
import { History } from "spikelet/timeline";
import { Training } from "spikelet/training";
import type { SpikeletTrainingElement } from "spikelet/training/element";

export async function simulate(): Promise<void> {
  using simulation = await Spikelet.create("cuba", { threads: undefined, seed: 7n });
  await using brain = await Brain.create();
  using training = await Training.open("yin-yang");
  using history = new History(simulation);
  using board = new Board(simulation, choose("raster", simulation.info).plots);
  void [brain, training, history, board];

  for await (const { neurons, spikeSteps } of simulation.stream({ ms: 100 })) void (neurons satisfies Uint32Array, spikeSteps);
  const stream = simulation.stream({ event: "samples", signal: AbortSignal.timeout(100) });
  for await (const { values } of stream) void (values satisfies Float32Array);
  // @ts-expect-error Only events of batches are streamed.
  simulation.stream({ event: "state" });
  // @ts-expect-error There is no such option.
  simulation.stream({ events: ["spikes"] });

  const spikes: Spikes = await simulation.once("spikes");
  const error: SpikeletError = await simulation.once("error", { signal: AbortSignal.timeout(1) });
  const stop: () => void = simulation.on("rates", ({ values }: Events["rates"]) => values);
  void [spikes, error, stop];
  // @ts-expect-error There is no such event.
  await simulation.once("spike");

  const hash: string | null = simulation.spikesHash;
  const file: Uint8Array = await simulation.edges("EE");
  const arrays: SynapseSample = await simulation.edges("EE", { format: "arrays" });
  void [hash, file, arrays.pre satisfies Uint32Array, arrays.delaysMs satisfies Float32Array];
  // @ts-expect-error There is no such format.
  await simulation.edges("EE", { format: "xlsx" });
  void [sweep, openFile, Drive];
}

export async function report(): Promise<string> {
  const lines: ReportLine[] = [];
  const { text, adapter } = await gpuReport({ seconds: 30, onResult: (line) => lines.push(line), signal: AbortSignal.timeout(60_000) });
  // @ts-expect-error There is no such option.
  await gpuReport({ minutes: 1 });
  return adapter?.name ?? text;
}

export function listen(): void {
  const network: SpikeletNetworkElement | null = document.querySelector("spikelet-network");
  const others: [SpikeletAssembliesElement, SpikeletExperimentsElement, SpikeletSensesElement, SpikeletTrainingElement, SpikeletGpuReportElement] = [
    document.createElement("spikelet-assemblies"),
    document.createElement("spikelet-experiments"),
    document.createElement("spikelet-senses"),
    document.createElement("spikelet-training"),
    document.createElement("spikelet-gpu-report"),
  ];
  const ready = ({ detail: { simulation } }: CustomEvent<{ readonly simulation: Spikelet }>) => void simulation.run(100);
  network?.addEventListener("ready", ready, { once: true });
  network?.removeEventListener("ready", ready);
  network?.addEventListener("statechange", ({ detail: { state } }) => void (state satisfies string));
  network?.addEventListener("error", ({ detail: { code, path } }) => void [code, path]);
  network?.addEventListener("click", ({ clientX }) => void clientX);
  others[3].addEventListener("open", ({ detail: { json } }) => void (json satisfies string));
  // @ts-expect-error There is no such detail.
  network?.addEventListener("ready", ({ detail: { network: none } }) => none);
}
