// Loading of networks.

import { SpikeletError, notAllowed } from "./errors.js";
import { readFile } from "./node.js";
import type { NamedFile, Source } from "./raw.js";
import { type NetworkObject, jsonOf } from "./rules.js";

/**
 * A network: an object of the JSON format (docs/networks.md), in which rules can be functions, JSON text, the URL of a JSON file, or the name of
 * a built-in network, such as `"cuba"`.
 *
 * A string that begins with `{` is JSON; a string without dot and slash is a name; other strings are URLs. URLs are relative to the page,
 * in Node to the working directory. Files that the network names are loaded relative to its URL.
 */
export type NetworkSource = NetworkObject | URL | string;

/** A network and its files. */
export interface Sourced {
  source: Source;
  files: NamedFile[];
}

/** Files that a network names, by name. */
export type Files = Readonly<Record<string, Uint8Array>>;

/** Loads the network and its files. */
export async function resolve(network: NetworkSource, scale: number, given: Files, signal?: AbortSignal): Promise<Sourced> {
  const files = Object.entries(given).map(([name, content]) => ({ name, content }));
  if (typeof network === "string" && /^[^./{]+$/.test(network.trim())) {
    return { source: { from: "catalogue", name: network.trim(), scale }, files };
  }
  if (scale !== 1) throw notAllowed("scale", scale, "1 for a network that is not built in; set its sizes instead");
  const { text, base } = await read(network, signal);
  if (base !== null) {
    const missing = filesOf(text).filter((name) => !(name in given));
    const loaded = missing.map(async (name) => ({ name, content: await load(new URL(name, base), signal) }));
    files.push(...(await Promise.all(loaded)));
  }
  return { source: { from: "json", text }, files };
}

/** The text of a network, and its URL if it was loaded. */
export async function read(network: NetworkSource, signal?: AbortSignal): Promise<{ text: string; base: URL | null }> {
  if (typeof network === "string" && network.trimStart().startsWith("{")) return { text: network, base: null };
  if (typeof network === "string" || network instanceof URL) {
    const base = locate(network);
    return { text: new TextDecoder().decode(await load(base, signal)), base };
  }
  if (typeof network !== "object" || network === null) throw notAllowed("network", network, "an object, JSON text, or a URL");
  try {
    return { text: jsonOf(network), base: null };
  } catch (error) {
    if (error instanceof SpikeletError) throw error;
    throw new SpikeletError("argument", `the network cannot be converted to JSON: ${error}`, "network");
  }
}

/** The absolute URL. */
export function locate(address: string | URL): URL {
  const { document, process } = globalThis as { document?: Document; process?: { cwd(): string } };
  const here = document?.baseURI ?? (process ? `file://${process.cwd()}/` : undefined);
  try {
    return new URL(address, here);
  } catch {
    throw notAllowed("network", String(address), "the URL of a file, the name of a built-in network, or JSON");
  }
}

/** The content of a URL. */
export async function load(address: URL, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  try {
    if (address.protocol === "file:") return await readFile(address);
    const response = await fetch(address, signal ? { signal } : {});
    if (!response.ok) throw new Error(`the server responded with ${response.status} ${response.statusText}`.trimEnd());
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new SpikeletError("fetch", `${address} could not be loaded: ${why}; check the URL, and that its server allows access`, String(address));
  }
}

/** The files that a network names: edge lists and learned weights. */
function filesOf(text: string): string[] {
  let network: unknown;
  try {
    network = JSON.parse(text);
  } catch {
    // The engine reports the syntax error.
    return [];
  }
  const projections = (network as { projections?: unknown } | null)?.projections;
  const values = (Array.isArray(projections) ? projections : []).flatMap((projection) => [projection?.pairs, projection?.learned]);
  const names = values.map((value: { file?: unknown } | null | undefined) => value?.file);
  return [...new Set(names.filter((name) => typeof name === "string"))];
}
