// The messages of the module of files of other tools, as `crates/spikelet-interchange-js/src/protocol.rs` defines them.

import type { Failure, NamedFile } from "../raw.js";

/** @internal A request. */
export type Command = { type: "open"; body: RawOpen } | { type: "export"; body: RawExport };

/** @internal A file to open, with others. */
export interface RawOpen {
  files: NamedFile[];
  file: string | null;
  loads: boolean;
  dtMs: number | null;
}

/** @internal A network to write. */
export interface RawExport {
  json: string | null;
  name: string | null;
  scale: number;
  files: NamedFile[];
  format: string;
  zip: boolean;
}

/** @internal The answer to a request. */
export type Reply =
  | { type: "opened"; body: { network: OpenedFile | null; missing: string | null } }
  | { type: "exported"; body: RawExported };

/** @internal An event. */
export type ModuleEvent = { type: "ready" } | { type: "stopped"; body: Failure };

/** A network of a file. */
export interface OpenedFile {
  /** The network as JSON, for `Spikelet.create`. */
  json: string;
  /** The file that was opened: the others are those that it names. */
  file: string;
  /** Its format, such as `NeuroML`. */
  format: string;
  /** What is dropped or approximated. */
  notices: FileNotice[];
}

/** What is dropped or approximated. */
export interface FileNotice {
  /** Its place in the file. */
  path: string;
  /** A sentence. */
  message: string;
}

/** @internal The files of a network. */
export interface RawExported {
  files: NamedFile[];
  notices: string[];
}
