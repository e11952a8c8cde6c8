import type { Code, Diagnostic, Failure } from "./raw.js";

/**
 * The kind of an error.
 *
 * In addition to those of the engine: `argument` (an argument is invalid), `fetch` (a file could not be loaded), `disposed` (the simulation
 * was disposed before it could answer).
 */
export type ErrorCode = Code | "argument" | "fetch" | "disposed";

/** The error of all functions. `message` states what is wrong, the value, and how to fix it. */
export class SpikeletError extends Error {
  override readonly name = "SpikeletError";
  /** The kind of error. */
  readonly code: ErrorCode;
  /** The place: a JSON path in the network, such as `populations[1].size`, or the name of an option or argument. */
  readonly path: string | null;
  /** All errors in a network; empty for other kinds. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(code: ErrorCode, message: string, path: string | null = null, diagnostics: readonly Diagnostic[] = []) {
    super(message);
    this.code = code;
    this.path = path;
    this.diagnostics = diagnostics;
  }

  /** @internal */
  static of({ code, message, path, diagnostics }: Failure): SpikeletError {
    return new SpikeletError(code, message, path, diagnostics);
  }
}

/** @internal The `value` given as `path` differs from what is expected. */
export function notAllowed(path: string, value: unknown, expected: string): SpikeletError {
  return new SpikeletError("argument", `${path} is ${inWords(value)}; expected ${expected}`, path);
}

/** @internal Converts an exception of an element to a `SpikeletError`. */
export function worded(error: unknown): SpikeletError {
  return error instanceof SpikeletError ? error : new SpikeletError("engine", `the element stopped: ${error}`);
}

function inWords(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return `an object of type ${value.constructor?.name ?? "Object"}`;
  return String(value);
}
