// Requests that a simulation and the class itself send.

import { Engine } from "./engine.js";
import { notAllowed } from "./errors.js";
import { type CreateOptions, type EngineOptions, type JudgeOptions, checkKeys, checkOptions, placeOf, workerOf } from "./options.js";
import type { Create, Diagnostic, Judgement } from "./raw.js";
import { type NetworkSource, read, resolve } from "./source.js";

/** The command that builds a network. */
export async function createOf(network: NetworkSource, options: CreateOptions): Promise<Create> {
  checkOptions(options);
  const { backend = "auto", threads = null, seed = null, trials = 1, compile = true, fastMath = false, workgroupSize = null, statistics = false, profile = false, scale = 1, files: given = {}, signal } = options;
  const statisticsFromMs = statistics === true ? 0 : statistics === false ? null : statistics;
  const { source, files } = await resolve(network, scale, given, signal);
  return { source, files, backend, threads, seed, trials, compile, fastMath, workgroupSize, statisticsFromMs, profile };
}

/** The errors of a network. */
export async function check(engine: Engine, network: NetworkSource, signal?: AbortSignal): Promise<Diagnostic[]> {
  const { text } = await read(network, signal);
  return engine.request({ type: "check", body: { json: text } }, "diagnostics", signal);
}

/** The judgement of a network for an editor. */
export async function judge(engine: Engine, network: NetworkSource, options: JudgeOptions): Promise<Judgement> {
  checkKeys(options, "population", "typed", "signal");
  const { population, typed = [], signal } = options;
  const place = population === undefined ? null : placeOf(population);
  if (!Array.isArray(typed)) throw notAllowed("typed", typed, "a list of names");
  const { text } = await read(network, signal);
  return engine.request({ type: "judge", body: { json: text, population: place, typed } }, "judgement", signal);
}

/** Uses an engine for a single request. */
export async function withEngine<Answer>(options: EngineOptions, use: (engine: Engine) => Promise<Answer>, oneThread = true): Promise<Answer> {
  checkKeys(options, "signal", "worker");
  const engine = await Engine.start(workerOf(options), oneThread ? "one thread was requested" : null, () => {}, options.signal);
  try {
    return await use(engine);
  } finally {
    engine.end(null);
  }
}
