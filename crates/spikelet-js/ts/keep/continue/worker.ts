// The Worker that writes saved runs to the Origin Private File System. All browsers can write there in a Worker; Safari before 26 only there.

import { type Generation, type Manifest, nameOf, namesOf, sha256, writeManifest } from "./manifest.js";

/** A generation to write. */
export interface WriteOrder {
  readonly id: number;
  readonly folder: FileSystemDirectoryHandle;
  readonly generation: Generation;
  readonly manifest: Omit<Manifest, "format" | "state">;
  /** The snapshot and the weights; empty without a state. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
}

/** The answer: an error's name, empty if it is written. */
export interface WriteOutcome {
  readonly id: number;
  readonly problem: string;
}

/** The types of a Worker, which those of pages lack. */
interface SyncFile {
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
type WritableFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncFile> };

async function writeFile(folder: FileSystemDirectoryHandle, name: string, parts: readonly Uint8Array[]): Promise<void> {
  const handle = (await folder.getFileHandle(name, { create: true })) as WritableFile;
  const file = await handle.createSyncAccessHandle();
  try {
    file.truncate(0);
    let at = 0;
    for (const part of parts) {
      const written = file.write(part, { at });
      // Some browsers write what fits instead of failing.
      if (written < part.length) throw new DOMException("the storage is full", "QuotaExceededError");
      at += written;
    }
    file.flush();
  } finally {
    file.close();
  }
}

async function remove(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  await folder.removeEntry(name).catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === "NotFoundError")) throw error;
  });
}

async function write({ folder, generation, manifest, parts }: WriteOrder): Promise<void> {
  const names = namesOf(generation);
  // From here on until its new manifest is written, this generation does not exist.
  await remove(folder, names.manifest);
  try {
    const [snapshot, weights] = parts;
    if (snapshot && weights) {
      await writeFile(folder, names.state, parts);
      const whole = new Uint8Array(await new Blob([...parts]).arrayBuffer());
      const state = { bytes: [snapshot.length, weights.length] as const, sha256: await sha256(whole) };
      await writeFile(folder, names.manifest, [new TextEncoder().encode(await writeManifest({ ...manifest, state }))]);
    } else {
      await remove(folder, names.state);
      await writeFile(folder, names.manifest, [new TextEncoder().encode(await writeManifest({ ...manifest, state: null }))]);
    }
  } catch (error) {
    // What is there of it takes space that others may need.
    await Promise.allSettled([remove(folder, names.manifest), remove(folder, names.state)]);
    throw error;
  }
}

// One after the other.
let last = Promise.resolve();

addEventListener("message", ({ data }: MessageEvent<WriteOrder>) => {
  last = last
    .then(() => write(data))
    .then(() => "", nameOf)
    .then((problem) => postMessage({ id: data.id, problem } satisfies WriteOutcome));
});
