// Saved runs in the Origin Private File System: a folder for the run of each tab, which holds a lock while it is open.

import { type Heading, type Manifest, GENERATIONS, newestFirst, namesOf, readManifest, sha256, tooMany } from "./manifest.js";
import { type OwnRun, RunPlace, Writer, lock, store, stored } from "./place.js";

/** The folder of all runs: the file system belongs to the whole origin. */
const FOLDER = "spikelet runs";

/** How long a page that is being left may hold its run, in ms. */
const CLOSING_MS = 1500;

/** A run that can be continued. */
export interface SavedRun extends Heading {
  readonly id: string;
}

/** The runs that no tab has open, the one of this tab first, then the newest. */
export interface SavedRuns {
  readonly runs: readonly SavedRun[];
  /** Runs of which no generation can be read; they are removed. */
  readonly damaged: number;
}

/** A run as it is read. */
export interface ReadRun {
  readonly manifest: Manifest;
  /** Null if none is saved, or if all are damaged. */
  readonly snapshot: Uint8Array<ArrayBuffer> | null;
  /** Learned weights at its start. */
  readonly weights: Uint8Array<ArrayBuffer>;
  /** Number of generations that are damaged. */
  readonly damaged: number;
}

/** The storage of runs. */
export class RunStore {
  readonly #root: FileSystemDirectoryHandle;
  readonly #writer = new Writer();
  #place: RunPlace;
  /** The run that is being continued, until its network is open. */
  #taken: OwnRun | null = null;

  private constructor(root: FileSystemDirectoryHandle) {
    this.#root = root;
    this.#place = this.#newPlace(null);
  }

  /** Opens the storage; null if the browser has none, as in some private windows and on plain http://. */
  static async open(): Promise<RunStore | null> {
    // Typed as always there.
    const { locks, storage } = navigator as { locks?: LockManager; storage?: Partial<StorageManager> };
    if (!locks || !storage?.getDirectory) return null;
    try {
      const root = await storage.getDirectory();
      return new RunStore(await root.getDirectoryHandle(FOLDER, { create: true }));
    } catch {
      return null;
    }
  }

  /** Where the run of this tab is saved, until another one begins. */
  get place(): RunPlace {
    return this.#place;
  }

  /** The runs that can be continued. Removes those that are too many. */
  async list(): Promise<SavedRuns> {
    const own = stored();
    const free: SavedRun[] = [];
    let damaged = 0;
    for (const id of await this.#ids()) {
      if (id === this.#place.id) continue;
      const release = await lock(id, id === own ? CLOSING_MS : 0);
      if (!release) continue;
      try {
        const folder = await this.#root.getDirectoryHandle(id);
        const manifests = await manifestsOf(folder);
        const [newest] = newestFirst(manifests);
        if (newest) {
          const { title, source, timeMs, savedMs } = newest.manifest;
          free.push({ id, title, source, timeMs, savedMs });
        } else if (manifests.every((manifest) => manifest === null)) {
          // A folder without manifests is one of a tab that ended before its first write did.
          if (await hasManifest(folder)) damaged += 1;
          await this.#remove(id);
        }
      } finally {
        release();
      }
    }
    const many = new Set(tooMany(free).filter(({ id }) => id !== own));
    for (const { id } of many) await this.#remove(id);
    const runs = free.filter((run) => !many.has(run));
    runs.sort((one, other) => Number(other.id === own) - Number(one.id === own) || other.savedMs - one.savedMs);
    return { runs, damaged };
  }

  /**
   * Reads a run to continue, which no other tab can have from now on. What is open in this tab is another run until {@link adopt}: networks can
   * open and be saved while the state is read and its network is built. Returns null if another tab has it, or if it was removed.
   */
  async take(id: string): Promise<ReadRun | null> {
    const release = await lock(id, 0);
    if (!release) return null;
    let folder: FileSystemDirectoryHandle;
    try {
      folder = await this.#root.getDirectoryHandle(id);
    } catch {
      release();
      return null;
    }
    const manifests = await manifestsOf(folder);
    const all = newestFirst(manifests);
    const [first] = all;
    if (!first) {
      release();
      return null;
    }
    this.putBack();
    this.#taken = { id, folder, manifests, release };
    let damaged = 0;
    for (const { generation, manifest } of all) {
      const { state } = manifest;
      if (!state) return { manifest, snapshot: null, weights: new Uint8Array(), damaged };
      const content = await bytesOf(folder, namesOf(generation).state);
      const [snapshot, weights] = state.bytes;
      if (content?.length === snapshot + weights && (await sha256(content)) === state.sha256) {
        return { manifest, snapshot: content.slice(0, snapshot), weights: content.slice(snapshot), damaged };
      }
      damaged += 1;
      // The next write replaces it.
      manifests[generation] = null;
    }
    return { manifest: first.manifest, snapshot: null, weights: new Uint8Array(), damaged };
  }

  /** Removes a saved run, unless a tab has it. */
  async discard(id: string): Promise<void> {
    const release = await lock(id, 0);
    if (!release) return;
    try {
      await this.#remove(id);
    } finally {
      release();
    }
  }

  /** The network of the run that was taken is open: what is written next is that run. */
  adopt(): void {
    const taken = this.#taken;
    this.#taken = null;
    this.#turnTo(taken);
    if (taken) store(taken.id);
  }

  /** The run that was taken is not continued: it stays as it was saved. */
  putBack(): void {
    this.#taken?.release();
    this.#taken = null;
  }

  /** The next write is of another run. The one up to now can be continued later. */
  leave(): void {
    this.#turnTo(null);
  }

  #turnTo(run: OwnRun | null): void {
    this.#place.leave();
    this.#place = this.#newPlace(run);
  }

  #newPlace(run: OwnRun | null): RunPlace {
    return new RunPlace(this.#root, this.#writer, run);
  }

  async #ids(): Promise<string[]> {
    const ids: string[] = [];
    // The iterator is missing in the types of this version.
    for await (const id of (this.#root as unknown as { keys(): AsyncIterable<string> }).keys()) ids.push(id);
    return ids;
  }

  async #remove(id: string): Promise<void> {
    await this.#root.removeEntry(id, { recursive: true }).catch(() => {});
  }
}

/** Both manifests of a run; null for those that are missing or damaged. */
async function manifestsOf(folder: FileSystemDirectoryHandle): Promise<(Manifest | null)[]> {
  return Promise.all(
    GENERATIONS.map(async (generation) => {
      const bytes = await bytesOf(folder, namesOf(generation).manifest);
      return bytes && readManifest(new TextDecoder().decode(bytes));
    }),
  );
}

async function hasManifest(folder: FileSystemDirectoryHandle): Promise<boolean> {
  const all = await Promise.all(GENERATIONS.map((generation) => bytesOf(folder, namesOf(generation).manifest)));
  return all.some((bytes) => bytes !== null && bytes.length > 0);
}

/** The bytes of a file; null if it cannot be read. */
async function bytesOf(folder: FileSystemDirectoryHandle, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const file = await (await folder.getFileHandle(name)).getFile();
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    return null;
  }
}
