// The folder of the run of a tab. All writes of a run go through its place: one that is on its way when the tab turns to another run ends in
// its own folder, and two that begin together do not make two folders.

import { type Manifest, FORMAT, nameOf, nextOf } from "./manifest.js";
import type { WriteOrder, WriteOutcome } from "./worker.js";

/** The name under which a tab stores its run, for a reload. */
const OWN = "spikelet:run";

/** What is written of a run. */
export type RunToWrite = Omit<Manifest, "format" | "number" | "state">;

/** The folder of a run, whose lock is held. */
export interface OwnRun {
  readonly id: string;
  readonly folder: FileSystemDirectoryHandle;
  readonly manifests: (Manifest | null)[];
  release(): void;
}

/** Where a run is saved: a folder that exists, or that the first write makes. */
export class RunPlace {
  readonly #root: FileSystemDirectoryHandle;
  readonly #writer: Writer;
  #run: OwnRun | null;
  #isLeft = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(root: FileSystemDirectoryHandle, writer: Writer, run: OwnRun | null = null) {
    this.#root = root;
    this.#writer = writer;
    this.#run = run;
  }

  /** The run that is saved here; null before the first write. */
  get id(): string | null {
    return this.#run?.id ?? null;
  }

  /**
   * Writes the run, in place of its older generation, after all earlier writes.
   *
   * @returns The name of an error; empty if it is written.
   */
  async write(run: RunToWrite, parts: readonly Uint8Array<ArrayBuffer>[]): Promise<string> {
    const written = this.#last.then(() => this.#write(run, parts)).catch(nameOf);
    this.#last = written;
    return written;
  }

  /** Nothing is written here any more, and the run can be continued, as soon as a write that is on its way has ended. */
  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    void this.#last.then(() => this.#run?.release());
  }

  async #write(run: RunToWrite, parts: readonly Uint8Array<ArrayBuffer>[]): Promise<string> {
    if (this.#isLeft) return "AbortError";
    const own = (this.#run ??= await this.#begin());
    const { generation, number } = nextOf(own.manifests);
    const manifest = { ...run, number };
    own.manifests[generation] = null;
    const problem = await this.#writer.write({ folder: own.folder, generation, manifest, parts });
    // From here on, only the order of the generations matters.
    if (!problem) own.manifests[generation] = { format: FORMAT, ...manifest, content: "", run: null, state: null };
    return problem;
  }

  async #begin(): Promise<OwnRun> {
    const id = crypto.randomUUID();
    const release = await lock(id, 0);
    if (!release) throw new DOMException("the lock of a new run is held", "InvalidStateError");
    try {
      const folder = await this.#root.getDirectoryHandle(id, { create: true });
      if (!this.#isLeft) store(id);
      return { id, folder, manifests: [null, null], release };
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** Gives orders to the Worker that writes. */
export class Writer {
  #worker: Worker | null = null;
  readonly #orders = new Map<number, (problem: string) => void>();
  #last = 0;

  /** @returns The name of an error; empty if it is written. */
  write(order: Omit<WriteOrder, "id">): Promise<string> {
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
}

/** Holds the lock of a run. Returns what releases it; null if another tab holds it. */
export function lock(id: string, waitMs: number): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const held = (lock: Lock | null) => (lock === null ? resolve(null) : new Promise<void>((release) => resolve(release)));
    const options: LockOptions = waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true };
    navigator.locks.request(`spikelet run ${id}`, options, held).catch(() => resolve(null));
  });
}

/** The run that this tab had before a reload. */
export function stored(): string | null {
  try {
    return sessionStorage.getItem(OWN);
  } catch {
    return null;
  }
}

/** Notes the run of this tab. */
export function store(id: string): void {
  try {
    sessionStorage.setItem(OWN, id);
  } catch {
    // Not in sandboxed frames: a reload then offers the newest run instead of its own.
  }
}
