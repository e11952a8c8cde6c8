// Options of trainings, and their checks.

import { SpikeletError, notAllowed } from "../errors.js";
import { type EngineOptions, checkKeys, checkSeed, positive, wholeNumber } from "../options.js";
import { type Files, read } from "../source.js";
import type { Method, RawOpen } from "./raw.js";

/**
 * A training: an object of its JSON format (docs/training.md), JSON text, the URL of a JSON file, or the name of a preset such as
 * `"yin-yang"`.
 *
 * A string that begins with `{` is JSON; a string without dot and slash is a name; other strings are URLs.
 */
export type TrainingSource = Readonly<Record<string, unknown>> | URL | string;

/** Options of a training. */
export interface TrainingOptions extends EngineOptions {
  /** How the gradient is computed; default: that of the training. */
  method?: Method | undefined;
  /** Passes over the data; default: those of the training. */
  epochs?: number | undefined;
  /** Seed of the order of samples; default: that of the training. */
  seed?: number | bigint | undefined;
  /** The rate of learning at the start; default: that of the training. */
  rate?: number | undefined;
  /** Samples in a batch; default: those of the training. */
  batch?: number | undefined;
  /** Files that the data name, by name. */
  files?: Files | undefined;
}

/** Options of {@link train}. */
export interface TrainOptions extends TrainingOptions {
  /** Accuracy on the samples for evaluation at which the training ends, from 0 to 1; default: it ends after its epochs. */
  until?: number | undefined;
  /** The state of an earlier training, from which this one continues to the bit. */
  checkpoint?: Uint8Array | undefined;
}

const METHODS: readonly string[] = ["bptt", "eventprop", "eprop"] satisfies Method[];

/** Names of the options of a training. */
export const TRAINING = ["method", "epochs", "seed", "rate", "batch", "files", "worker", "signal"] satisfies (keyof TrainingOptions)[];

/** Rejects invalid options of a training. */
export function checkTraining(options: TrainingOptions, ...more: string[]): void {
  checkKeys(options, ...TRAINING, ...more);
  const { method, epochs, seed, rate, batch, files } = options;
  if (method !== undefined && !METHODS.includes(method)) throw notAllowed("method", method, '"bptt", "eventprop" or "eprop"');
  if (epochs !== undefined) wholeNumber("epochs", epochs, 1);
  if (seed !== undefined) checkSeed(seed);
  if (rate !== undefined) positive("rate", rate, "a number above 0");
  if (batch !== undefined) wholeNumber("batch", batch, 1);
  if (files !== undefined && (typeof files !== "object" || files === null)) throw notAllowed("files", files, "an object of Uint8Arrays");
  for (const [name, content] of Object.entries(files ?? {})) {
    if (!(content instanceof Uint8Array)) throw notAllowed(`files[${JSON.stringify(name)}]`, content, "a Uint8Array");
  }
}

/** The text of a training; `preset` gives that of a name. */
export async function textOf(source: TrainingSource, options: TrainingOptions, preset: (name: string) => Promise<string>): Promise<string> {
  if (typeof source === "string" && /^[^./{]+$/.test(source.trim())) return preset(source.trim());
  if (typeof source !== "string" && !(source instanceof URL) && (typeof source !== "object" || source === null)) {
    throw notAllowed("training", source, "an object, JSON text, a URL, or the name of a preset");
  }
  const { text } = await read(source as string, options.signal);
  if (options.method === undefined) return text;
  return JSON.stringify({ ...parsed(text), method: options.method });
}

function parsed(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new SpikeletError("json", `the training is not JSON: ${error}`, "training");
  }
}

/** @internal The request that opens a training. */
export function openOf(json: string, { epochs, seed, rate, batch, files }: TrainingOptions): RawOpen {
  return {
    json,
    files: Object.entries(files ?? {}).map(([name, content]) => ({ name, content })),
    epochs: epochs ?? null,
    seed: seed ?? null,
    rate: rate ?? null,
    batch: batch ?? null,
  };
}
