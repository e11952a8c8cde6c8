// The tables of a report.

import { h, say } from "../plots/dom.js";
import { short } from "../plots/numbers.js";
import type { FigureLine, KernelsLine, NetworkLine, OperationLine } from "./lines.js";
import { RELIED } from "./operations.js";

/** A table with a heading and a sentence on all of it. */
abstract class Table {
  readonly element: HTMLElement;
  protected readonly body = h("tbody");
  protected readonly said = h("p", { class: "note" });
  readonly #noted = h("p", { class: "note limit", hidden: "" });

  constructor(title: string, part: string, columns: readonly string[], isFolded = false) {
    const head = h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, column))));
    const table = h("div", { class: "scroll" }, h("table", { part: `table ${part}` }, h("caption", { class: "unseen" }, title), head, this.body));
    const content = isFolded ? h("details", {}, h("summary", {}, "All of them"), table) : table;
    this.element = h("section", { class: `of-${part}`, "aria-label": title }, h("h2", {}, title), this.said, content, this.#noted);
  }

  get isEmpty(): boolean {
    return this.body.childElementCount === 0;
  }

  /** Why the table ends. */
  note(sentence: string): void {
    say(this.#noted, sentence);
    this.#noted.hidden = false;
  }
}

function row(name: string, ...cells: (Node | string)[]): HTMLTableRowElement {
  return h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell)));
}

/** How operations are rounded. */
export class OperationsTable extends Table {
  readonly #lines: OperationLine[] = [];

  constructor() {
    super("Rounding of single operations", "operations", ["Operation", "Cases", "Differ", "First that differs: operands, expected, found"], true);
  }

  add(line: OperationLine): void {
    this.#lines.push(line);
    const { operation, cases, different, fused, first } = line;
    const example = first ? `${first.inputs.join(" ")} → ${first.expected}, ${first.found}` : "";
    const differ = fused === undefined ? String(different) : `${different} (${fused} fused)`;
    const made = row(operation, String(cases), differ, h("code", {}, example));
    if (different > 0 && RELIED.has(operation)) made.className = "differs";
    this.body.append(made);
    say(this.said, this.sentence);
  }

  get sentence(): string {
    const others = this.#lines.filter(({ different }) => different > 0).map(({ operation }) => operation);
    const all = this.#lines.length;
    if (others.length === 0) return `All ${all} operations are rounded as on a CPU.`;
    const relied = others.filter((name) => RELIED.has(name));
    const sentence = `${all - others.length} of ${all} operations are rounded as on a CPU.`;
    if (relied.length > 0) return `${sentence} Spikes may differ because of: ${relied.join("; ")}.`;
    return `${sentence} Kernels do not rely on the others.`;
  }
}

/** Whether networks have the same spikes. */
export class NetworksTable extends Table {
  readonly #rows = new Map<string, HTMLTableRowElement>();
  #equal = 0;
  #different: string[] = [];

  constructor() {
    super("Spikes on GPU and CPU", "networks", ["Network", "Steps", "Result"]);
  }

  add(line: KernelsLine | NetworkLine): void {
    let made: HTMLTableRowElement;
    if (line.kind === "kernels") made = row(line.network, "", line.error ? `The GPU cannot run it: ${line.error}` : "running …");
    else made = row(line.network, String(line.steps), result(line));
    const isWrong = line.error !== undefined || (line.kind === "network" && !line.equal);
    if (isWrong) {
      made.className = "differs";
      this.#different.push(line.network);
    } else if (line.kind === "network") this.#equal += 1;
    else made.className = "pending";
    const before = this.#rows.get(line.network);
    if (before) before.replaceWith(made);
    else this.body.append(made);
    this.#rows.set(line.network, made);
    say(this.said, this.sentence);
  }

  override note(sentence: string): void {
    super.note(sentence);
    // It was being compared when the step ended.
    for (const cell of this.body.querySelectorAll(".pending > td:last-child")) say(cell, "not finished");
  }

  get sentence(): string {
    const all = this.#equal + this.#different.length;
    if (all === 0) return "";
    const rest = this.#different.length > 0 ? `; not of: ${this.#different.join(", ")}` : "";
    return `GPU and CPU have the same spikes of ${this.#equal} of ${all} networks${rest}.`;
  }
}

function result({ equal, first, error, cpu }: NetworkLine): string {
  if (error !== undefined) return `failed: ${error}`;
  if (equal) return `the same spikes (${cpu})`;
  if (!first) return "other spikes";
  return `other spikes, from step ${first.step} on: ${first.population ?? first.projection}.${first.variable}[${first.neuron}] is ${first.cpu} on the CPU, ${first.gpu} on the GPU`;
}

/** Speeds. */
export class FiguresTable extends Table {
  readonly #cases = new Map<string, { gpu?: FigureLine; cpu?: FigureLine; row: HTMLTableRowElement }>();

  constructor() {
    super("Speed", "figures", ["Network", "GPU", "CPU", "GPU ÷ CPU"]);
    say(this.said, "Steps per second, with those of all trials. Below: wall time to the first spike, with the build.");
  }

  add(line: FigureLine): void {
    const name = line.trials === 1 ? line.case : `${line.case}, ${line.trials} trials`;
    const before = this.#cases.get(name);
    const both = { ...before, [line.device]: line };
    const ratio = both.gpu?.steps_per_s && both.cpu?.steps_per_s ? `${short(both.gpu.steps_per_s / both.cpu.steps_per_s)} ×` : "";
    const made = row(name, speed(both.gpu), speed(both.cpu), ratio);
    if (before) before.row.replaceWith(made);
    else this.body.append(made);
    this.#cases.set(name, { ...both, row: made });
  }
}

function speed(line: FigureLine | undefined): Node {
  const cell = h("span", { class: "speed" });
  if (!line) cell.append("…");
  else if (line.error !== undefined) cell.append(h("span", { class: "why" }, line.error));
  else {
    cell.append(metric(line.steps_per_s ?? 0));
    if (line.first_spike_ms !== undefined) cell.append(h("small", {}, `${short(line.first_spike_ms)} ms`));
  }
  return cell;
}

/** `12.3 k` for 12300. */
function metric(value: number): string {
  const [unit, name] = value >= 1e6 ? [1e6, " M"] : value >= 1e3 ? [1e3, " k"] : [1, ""];
  return `${short(value / unit)}${name}`;
}
