import { notAllowed } from "../errors.js";
import { type EngineOptions, checkKeys, positive } from "../options.js";
import { type Files, type NetworkSource, resolve } from "../source.js";
import { withModule } from "./module.js";

/** Formats of {@link exportNetwork}: scripts for Brian 2, NEST and PyNN, files of NeuroML, circuits of SONATA and graphs of NIR. */
export const EXPORT_FORMATS = ["brian2", "nest", "pynn", "neuroml", "sonata", "nir"] as const;

/** A format of {@link exportNetwork}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Options of {@link exportNetwork}. */
export interface ExportOptions extends EngineOptions {
  /** Size of a built-in network relative to the published size; default 1. */
  scale?: number | undefined;
  /** Files that the network names, by name. */
  files?: Files | undefined;
  /** Whether all files are put into one archive; default false. */
  zip?: boolean | undefined;
}

/** The files of a network. */
export interface ExportedFiles {
  /** By name: a script and the values of all neurons and synapses that it reads, or a graph. */
  files: Record<string, Uint8Array>;
  /** What they leave out or approximate, each as a sentence. */
  notices: string[];
}

/**
 * Writes a network for another tool.
 *
 * ```js
 * const { files } = await exportNetwork("cuba", "nest", { scale: 0.2 });
 * files["network.py"]; files["values.npz"];
 * ```
 *
 * @throws SpikeletError If the network is invalid, or has what the other tool lacks: the message names it.
 */
export async function exportNetwork(network: NetworkSource, format: ExportFormat, options: ExportOptions = {}): Promise<ExportedFiles> {
  checkKeys(options, "scale", "files", "zip", "worker", "signal");
  if (!EXPORT_FORMATS.includes(format)) throw notAllowed("format", format, `one of ${EXPORT_FORMATS.join(", ")}`);
  const { scale = 1 } = options;
  positive("scale", scale, "a size relative to the published one, above 0");
  const { source, files } = await resolve(network, scale, options.files ?? {}, options.signal);
  const [json, name] = source.from === "json" ? [source.text, null] : [null, source.name];
  return withModule(options, async (module) => {
    const exported = await module.request({ type: "export", body: { json, name, scale, files, format, zip: options.zip ?? false } }, "exported", options.signal);
    return { files: Object.fromEntries(exported.files.map(({ name, content }) => [name, content])), notices: exported.notices };
  });
}
