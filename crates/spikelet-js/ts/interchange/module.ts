// The module in its Worker, for a single task.

import { Engine } from "../engine.js";
import { type EngineOptions, workerOf } from "../options.js";
import type { Command, ModuleEvent, Reply } from "./raw.js";

export type Module = Engine<Command, Reply, ModuleEvent>;

/** Starts the module, and ends it after its use. */
export async function withModule<Result>(options: EngineOptions, use: (module: Module) => Promise<Result>): Promise<Result> {
  const module: Module = await Engine.start(workerOf(options), null, () => {}, options.signal, "interchange");
  try {
    return await use(module);
  } finally {
    module.end(null);
  }
}
