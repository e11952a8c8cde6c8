/** Most files of folders that are dropped. */
const MAX_FILES = 10_000;

/**
 * The files that are dropped onto a page, by their paths, with those of folders. To be called in the listener of the event, because the browser forgets them
 * after it.
 *
 * ```js
 * element.addEventListener("drop", async (event) => {
 *   event.preventDefault();
 *   const { json } = await openFile(await droppedFiles(event.dataTransfer));
 * });
 * ```
 */
export function droppedFiles(transfer: DataTransfer | null): Promise<Record<string, File>> {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === "file");
  const entries = items.map((item) => [item.webkitGetAsEntry?.() ?? null, item.getAsFile()] as const);
  const found: Record<string, File> = {};
  const add = async (entry: FileSystemEntry): Promise<void> => {
    if (Object.keys(found).length >= MAX_FILES) return;
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isFile) found[path] = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    else for (const inner of await contents(entry as FileSystemDirectoryEntry)) await add(inner);
  };
  const all = entries.map(async ([entry, file]) => {
    if (entry?.isDirectory) await add(entry);
    else if (file) found[file.name] = file;
  });
  return Promise.all(all).then(() => found);
}

/** All that is in a folder: a browser gives it in parts, the last of which is empty. */
async function contents(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return all;
    all.push(...part);
  }
}
