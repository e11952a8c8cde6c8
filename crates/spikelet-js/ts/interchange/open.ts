import { SpikeletError, notAllowed } from "../errors.js";
import { type EngineOptions, checkKeys, positive } from "../options.js";
import type { NamedFile } from "../raw.js";
import { load, locate } from "../source.js";
import { withModule } from "./module.js";
import type { OpenedFile } from "./raw.js";

/**
 * What is opened: the URL of a file, or files by their paths, as bytes, texts or {@link droppedFiles}. Of several files the one that no other one names is opened; the others are those
 * that it names. With a URL, they are loaded relative to it.
 */
export type OpenSource = URL | string | Readonly<Record<string, Uint8Array | ArrayBuffer | Blob | string>>;

/** Options of {@link openFile}. */
export interface OpenOptions extends EngineOptions {
  /** The path of the file that names the others; default: it is found. */
  file?: string | undefined;
  /** The time step of a graph of NIR, in which time is continuous, in ms; default 0.1. */
  dtMs?: number | undefined;
}

/** Most files that are loaded for one. */
const MAX_FILES = 1000;

/**
 * A network of a file of another tool: NeuroML 2 and LEMS, SONATA, NIR, or a configuration of 4D-Neural-Cognition.
 *
 * ```js
 * const { json, notices } = await openFile("circuit/config.json");
 * const simulation = await Spikelet.create(json);
 * ```
 *
 * @throws SpikeletError If a file cannot be loaded, is malformed, or has what is not supported: the message names the file and the place.
 */
export async function openFile(source: OpenSource, options: OpenOptions = {}): Promise<OpenedFile> {
  checkKeys(options, "file", "dtMs", "worker", "signal");
  const { dtMs = null } = options;
  if (dtMs !== null) positive("dtMs", dtMs, "a time step in ms above 0");
  if (options.file !== undefined && typeof options.file !== "string") throw notAllowed("file", options.file, "the path of a file");
  const { signal } = options;
  const isAddress = typeof source === "string" || source instanceof URL;
  const base = isAddress ? locate(source) : null;
  const files: NamedFile[] = [];
  let file = options.file ?? null;
  if (base) {
    file = decodeURIComponent(base.pathname.split("/").at(-1) ?? "");
    files.push({ name: file, content: await load(base, signal) });
  } else {
    if (typeof source !== "object" || source === null) throw notAllowed("source", source, "a URL, or an object of files as bytes by their paths");
    for (const [name, content] of Object.entries(source)) files.push({ name, content: await bytesOf(name, content) });
  }
  return withModule(options, async (module) => {
    while (files.length <= MAX_FILES) {
      const body = { files, file, loads: base !== null, dtMs };
      const { network, missing } = await module.request({ type: "open", body }, "opened", signal);
      if (network) return network;
      files.push({ name: missing!, content: await load(new URL(missing!, base!), signal) });
    }
    throw new SpikeletError("fetch", `${base} names more than ${MAX_FILES} files; put them together`, String(base));
  });
}

async function bytesOf(name: string, content: unknown): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  if (typeof content === "string") return new TextEncoder().encode(content);
  throw notAllowed(`source["${name}"]`, content, "bytes: a Uint8Array, an ArrayBuffer, a Blob or a text");
}
