// The manifest of a saved run, which is written last: with it, and only with it, a generation is complete.
//
// A run has two generations. A new one replaces the older one, so that a write that is torn leaves the other one.

import type { RunRecord } from "../../timeline/history.js";

/** The version of the format. */
export const FORMAT = 1;

/** The two generations of a run. */
export const GENERATIONS = [0, 1] as const;
export type Generation = (typeof GENERATIONS)[number];

/** Maximum number of saved runs that no tab has open; the oldest ones are removed. */
const MOST = 3;

/** A file beside the manifest: the state of the simulation, then learned weights. */
export interface StateFile {
  /** Bytes of the snapshot, and of the weights. */
  readonly bytes: readonly [number, number];
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
}

/** What is shown of a saved run before it is read. */
export interface Heading {
  /** The name of the network. */
  readonly title: string;
  /** The network, as the page compares it with that of the address. */
  readonly source: string;
  /** Biological time in ms. */
  readonly timeMs: number;
  /** When it was saved, in ms since 1970. */
  readonly savedMs: number;
}

/** A saved run without its state. */
export interface Manifest extends Heading {
  readonly format: number;
  /** The number of the write: the newest generation has the largest one. */
  readonly number: number;
  /** Network, values and notes, as JSON of the page. */
  readonly content: string;
  /** The run up to here without its snapshot; null if only the start of the network is saved. */
  readonly run: Omit<RunRecord, "snapshot"> | null;
  /** Null without a file. */
  readonly state: StateFile | null;
}

/** The names of the files of a generation. */
export function namesOf(generation: Generation): { readonly manifest: string; readonly state: string } {
  return { manifest: `${generation}.json`, state: `${generation}.state` };
}

/** SHA-256 in hexadecimal. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The name of an error, for a message. */
export function nameOf(error: unknown): string {
  return error instanceof Error || error instanceof DOMException ? error.name : String(error);
}

/** The file of a manifest: its checksum, and JSON. */
export async function writeManifest(manifest: Omit<Manifest, "format">): Promise<string> {
  const json = JSON.stringify({ format: FORMAT, ...manifest });
  return `${await sha256(new TextEncoder().encode(json))}\n${json}`;
}

/** Reads the file of a manifest; null if it is damaged. It may be of a version with another format. */
export async function readManifest(text: string): Promise<Manifest | null> {
  const end = text.indexOf("\n");
  const json = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== (await sha256(new TextEncoder().encode(json)))) return null;
  return JSON.parse(json) as Manifest;
}

/** Those of this format, the newest first. */
export function newestFirst(manifests: readonly (Manifest | null)[]): { readonly generation: Generation; readonly manifest: Manifest }[] {
  const found = GENERATIONS.flatMap((generation) => {
    const manifest = manifests[generation];
    return manifest?.format === FORMAT ? [{ generation, manifest }] : [];
  });
  return found.sort((one, other) => other.manifest.number - one.manifest.number);
}

/** The generation that the next write replaces, and its number. */
export function nextOf(manifests: readonly (Manifest | null)[]): { readonly generation: Generation; readonly number: number } {
  const newest = newestFirst(manifests)[0];
  if (!newest) return { generation: 0, number: 1 };
  return { generation: newest.generation === 0 ? 1 : 0, number: newest.manifest.number + 1 };
}

/** Saved runs that are too many, of those that no tab has open. */
export function tooMany<Run extends { readonly savedMs: number }>(free: readonly Run[]): Run[] {
  return [...free].sort((one, other) => other.savedMs - one.savedMs).slice(MOST);
}
