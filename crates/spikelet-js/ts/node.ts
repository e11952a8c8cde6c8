// What Node has and browsers have not.

/** What is used of a file system. */
interface FileSystem {
  readFile(url: URL): Promise<Uint8Array<ArrayBuffer>>;
}

/** All of a file. */
export async function readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  return (await nodeModule<FileSystem>("node:fs/promises")).readFile(url);
}

/** A module of Node's own. Not for bundlers: there is no such module in a browser. */
export async function nodeModule<Module>(name: `node:${string}`): Promise<Module> {
  return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as Module;
}
