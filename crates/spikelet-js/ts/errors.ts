import type { Code, Diagnostic, Failure } from "./raw.js";

/**
 * The sort of a failure.
 *
 * Besides those of the engine: `argument` (what was given to a function is not what it takes), `fetch` (a file could not be
 * loaded), `disposed` (the simulation was disposed of before it could answer).
 */
export type ErrorCode = Code | "argument" | "fetch" | "disposed";

/** Why something cannot be done. `message` says what is wrong, with its values, and the way out. */
export class SpikeletError extends Error {
  override readonly name = "SpikeletError";
  /** The sort of failure. */
  readonly code: ErrorCode;
  /** Where: a JSON path of the network, such as `populations[1].size`, or the path or option that was given. */
  readonly path: string | null;
  /** What is wrong with a network, one by one; empty for other failures. */
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

/** @internal What was given as `path` is `value`, and that is not what is expected. */
export function notAllowed(path: string, value: unknown, expected: string): SpikeletError {
  return new SpikeletError("argument", `${path} is ${inWords(value)}; expected is ${expected}`, path);
}

function inWords(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return `an object of type ${value.constructor?.name ?? "Object"}`;
  return String(value);
}
