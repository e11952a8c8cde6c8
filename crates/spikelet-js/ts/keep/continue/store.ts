// Saved runs in the Origin Private File System: a folder for the run of each tab, which holds a lock while it is open.

import { type Heading, type Manifest, FORMAT, GENERATIONS, nameOf, newestFirst, namesOf, nextOf, readManifest, sha256, tooMany } from "./manifest.js";
import type { WriteOrder, WriteOutcome } from "./worker.js";

/** The folder of all runs: the file system belongs to the whole origin. */
const FOLDER = "spikelet runs";

/** The name under which a tab stores its run, for a reload. */
const OWN = "spikelet:run";

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

/** What is written of a run. */
export type RunToWrite = Omit<Manifest, "format" | "number" | "state">;

/** The run of this tab. */
interface OwnRun {
  readonly id: string;
  readonly folder: FileSystemDirectoryHandle;
  readonly manifests: (Manifest | null)[];
  release(): void;
}

/** The storage of runs. */
export class RunStore {
  readonly #root: FileSystemDirectoryHandle;
  #own: OwnRun | null = null;
  #worker: Worker | null = null;
  readonly #orders = new Map<number, (problem: string) => void>();
  #last = 0;

  private constructor(root: FileSystemDirectoryHandle) {
    this.#root = root;
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

  /** The runs that can be continued. Removes those that are too many. */
  async list(): Promise<SavedRuns> {
    const own = stored();
    const free: SavedRun[] = [];
    let damaged = 0;
    for (const id of await this.#ids()) {
      if (id === this.#own?.id) continue;
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

  /** This tab continues a run, which is then its own. Returns null if another tab has it, or if it was removed. */
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
    this.leave();
    this.#own = { id, folder, manifests, release };
    store(id);
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

  /** The next write is of another run. The one up to now can be continued later. */
  leave(): void {
    this.#own?.release();
    this.#own = null;
  }

  /**
   * Writes the run of this tab, in place of its older generation.
   *
   * @returns The name of an error; empty if it is written.
   */
  async write(run: RunToWrite, parts: readonly Uint8Array<ArrayBuffer>[]): Promise<string> {
    try {
      const own = (this.#own ??= await this.#begin());
      const { generation, number } = nextOf(own.manifests);
      const manifest = { ...run, number };
      own.manifests[generation] = null;
      const problem = await this.#order({ folder: own.folder, generation, manifest, parts });
      // From here on, only the order of the generations matters.
      if (!problem) own.manifests[generation] = { format: FORMAT, ...manifest, content: "", run: null, state: null };
      return problem;
    } catch (error) {
      return nameOf(error);
    }
  }

  async #begin(): Promise<OwnRun> {
    const id = crypto.randomUUID();
    const release = await lock(id, 0);
    if (!release) throw new DOMException("the lock of a new run is held", "InvalidStateError");
    try {
      const folder = await this.#root.getDirectoryHandle(id, { create: true });
      store(id);
      return { id, folder, manifests: [null, null], release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #order(order: Omit<WriteOrder, "id">): Promise<string> {
    const worker = (this.#worker ??= this.#start());
    const id = (this.#last += 1);
    return new Promise((resolve) => {
      this.#orders.set(id, resolve);
      worker.postMessage({ id, ...order } satisfies WriteOrder, order.parts.map(({ buffer }) => buffer));
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "spikelet saved runs" });
    worker.onmessage = ({ data: { id, problem } }: MessageEvent<WriteOutcome>) => {
      this.#orders.get(id)?.(problem);
      this.#orders.delete(id);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#worker = null;
      for (const done of this.#orders.values()) done("WorkerError");
      this.#orders.clear();
    };
    return worker;
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

/** Holds the lock of a run. Returns what releases it; null if another tab holds it. */
function lock(id: string, waitMs: number): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const held = (lock: Lock | null) => (lock === null ? resolve(null) : new Promise<void>((release) => resolve(release)));
    const options: LockOptions = waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true };
    navigator.locks.request(`spikelet run ${id}`, options, held).catch(() => resolve(null));
  });
}

/** The run that this tab had before a reload. */
function stored(): string | null {
  try {
    return sessionStorage.getItem(OWN);
  } catch {
    return null;
  }
}

function store(id: string): void {
  try {
    sessionStorage.setItem(OWN, id);
  } catch {
    // Not in sandboxed frames: a reload then offers the newest run instead of its own.
  }
}
