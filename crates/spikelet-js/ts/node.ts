// Functions of Node that browsers do not have.

/** The used part of the file system. */
interface FileSystem {
  readFile(url: URL): Promise<Uint8Array<ArrayBuffer>>;
}

/** The content of a file. */
export async function readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  return (await nodeModule<FileSystem>("node:fs/promises")).readFile(url);
}

/** A module of Node. Hidden from bundlers, because browsers do not have it. */
export async function nodeModule<Module>(name: `node:${string}`): Promise<Module> {
  return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as Module;
}
