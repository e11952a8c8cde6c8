// The projects of the page in IndexedDB: cards for the list, and contents, which can be large and are read one at a time.

const DATABASE = "spikelet";
const CARDS = "cards";
const CONTENTS = "contents";

/** How long a tab that is being closed may keep a project, in ms. */
const CLOSING_MS = 1500;

/** Stored projects. Methods reject with a sentence for the user. */
export class ProjectStore {
  readonly #database: IDBDatabase;
  readonly #channel: BroadcastChannel;

  private constructor(database: IDBDatabase, changed: () => void) {
    this.#database = database;
    this.#channel = new BroadcastChannel(DATABASE);
    this.#channel.onmessage = changed;
    // A newer version of the page in another tab may upgrade it.
    database.onversionchange = () => database.close();
  }

  /** @param changed Called when another tab has changed a project. */
  static async open(changed: () => void): Promise<ProjectStore> {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(CARDS, { keyPath: "id" });
        request.result.createObjectStore(CONTENTS);
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(failure(request.error));
      request.onblocked = () => reject(failure(null));
    }).catch((error: unknown) => {
      throw error instanceof Error && error.name === "StorageFailure" ? error : failure(error);
    });
    return new ProjectStore(database, changed);
  }

  /** All cards, as JSON. */
  async list(): Promise<string> {
    return JSON.stringify(await this.#ask("readonly", [CARDS], (transaction) => transaction.objectStore(CARDS).getAll()));
  }

  /** The content of a project, if it exists. */
  async read(id: string): Promise<string | undefined> {
    return this.#ask("readonly", [CONTENTS], (transaction) => transaction.objectStore(CONTENTS).get(id) as IDBRequest<string | undefined>);
  }

  /** Stores a card, and the content if there is a new one. */
  async write(card: string, content?: string): Promise<void> {
    const value = JSON.parse(card) as { id: string };
    await this.#ask("readwrite", [CARDS, CONTENTS], (transaction) => {
      if (content !== undefined) transaction.objectStore(CONTENTS).put(content, value.id);
      return transaction.objectStore(CARDS).put(value);
    });
    this.#channel.postMessage("");
  }

  /** Removes a project. */
  async remove(id: string): Promise<void> {
    await this.#ask("readwrite", [CARDS, CONTENTS], (transaction) => {
      transaction.objectStore(CONTENTS).delete(id);
      return transaction.objectStore(CARDS).delete(id);
    });
    this.#channel.postMessage("");
  }

  /** The result of a request, when its transaction is complete: only then it is stored. */
  #ask<Result>(mode: IDBTransactionMode, stores: string[], act: (transaction: IDBTransaction) => IDBRequest<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      try {
        const transaction = this.#database.transaction(stores, mode);
        const request = act(transaction);
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(failure(transaction.error ?? request.error));
        transaction.onerror = () => reject(failure(transaction.error ?? request.error));
      } catch (error) {
        reject(failure(error));
      }
    });
  }
}

/** An error as a sentence. */
function failure(error: unknown): Error {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  const sentence =
    name === "QuotaExceededError"
      ? "The browser's storage is full, so that the project is not saved: delete projects, or save a file."
      : `The browser stores no projects here (${name || "blocked"}), as in private windows: save a file before you leave.`;
  return Object.assign(new Error(sentence), { name: "StorageFailure" });
}

/** The claim of this tab. */
let claimed: { readonly id: string; end?: () => void } | undefined;

/**
 * Claims a project for this tab, and releases the previous one.
 *
 * @returns Whether no other tab has it. Without Web Locks (plain http://) this is not known, and true.
 */
export async function claim(id: string): Promise<boolean> {
  if (claimed?.id === id) return true;
  release();
  const claim: { readonly id: string; end?: () => void } = { id };
  claimed = claim;
  // Typed as always there, which it is only on https:// and localhost.
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) return true;
  return new Promise((resolve) => {
    const held = () =>
      new Promise<void>((end) => {
        claim.end = end;
        // Another project was opened meanwhile.
        if (claimed !== claim) end();
        resolve(true);
      });
    // A page that is being reloaded releases its own a little later.
    locks.request(`spikelet project ${id}`, { signal: AbortSignal.timeout(CLOSING_MS) }, held).catch(() => {
      if (claimed === claim) claimed = undefined;
      resolve(false);
    });
  });
}

/** Releases the project of this tab. */
export function release(): void {
  claimed?.end?.();
  claimed = undefined;
}
