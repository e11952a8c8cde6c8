// The view of a report: Start and Stop, what the GPU is, and tables that fill while it runs.

import { worded } from "../errors.js";
import { h, say } from "../plots/dom.js";
import { saveFile } from "../plots/save.js";
import { type ReportLine, type StepName, jsonLines } from "./lines.js";
import { type GpuReport, gpuReport } from "./report.js";
import { FiguresTable, NetworksTable, OperationsTable } from "./tables.js";

/** The element, as its view sees it. */
export interface Owner {
  /** Aborted when the element is removed. */
  readonly end: AbortSignal;
  readonly rehearsal: boolean;
  readonly seconds: number | undefined;
  readonly worker: string | undefined;
  /** A report is complete. */
  done(report: GpuReport): void;
}

/** What the steps do, while they do it. */
const DOING: Readonly<Record<StepName, string>> = {
  adapter: "Asking the browser for a GPU …",
  operations: "Does it round as a CPU? Thousands of sums, products, roots and conversions …",
  networks: "Do networks have the same spikes on it as on the CPU?",
  figures: "How fast is it?",
};
const STEPS = Object.keys(DOING) as StepName[];

/** Features that say something of the speed of networks; the file has all of them. */
const USED = ["timestamp-query", "subgroups", "shader-f16"];

const INTRODUCTION =
  "Press Start. The report takes about a minute; other tabs and programs make it slower, so close what computes. Nothing is sent anywhere: you get a file.";

/** The view. */
export class ReportView {
  readonly element: HTMLElement;
  readonly #owner: Owner;
  readonly #start = h("button", { type: "button", class: "main", part: "button start" }, "Start");
  readonly #stop = h("button", { type: "button", part: "button stop", hidden: "" }, "Stop");
  readonly #save = h("button", { type: "button", part: "button save", hidden: "" }, "Save as a file (JSON lines)");
  readonly #said = h("p", { class: "said", part: "report", role: "status" }, INTRODUCTION);
  readonly #progress = h("progress", { hidden: "", max: "1", "aria-label": "Report" });
  readonly #wrong = h("p", { class: "wrong", part: "error", role: "alert" });
  readonly #gpu = h("section", { class: "gpu", part: "adapter", hidden: "" });
  #lines: ReportLine[] = [];
  #tables = tables();
  readonly #results = h("div", { class: "results" });
  #run: AbortController | null = null;
  /** Number of reports that were begun: what a stopped one still adds is not shown. */
  #runs = 0;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#start.addEventListener("click", () => void this.#report());
    this.#stop.addEventListener("click", () => this.#run?.abort());
    this.#save.addEventListener("click", () => this.#saveLines());
    owner.end.addEventListener("abort", () => this.#run?.abort());
    const buttons = h("div", { class: "toolbar" }, this.#start, this.#stop, this.#save);
    const status = h("div", { class: "lab-status" }, this.#said, this.#progress, this.#wrong);
    this.element = h("div", { class: "report" }, buttons, status, this.#gpu, this.#results);
  }

  async #report(): Promise<void> {
    const [owner, run, number] = [this.#owner, new AbortController(), (this.#runs += 1)];
    this.#run = run;
    this.#lines = [];
    this.#tables = tables();
    this.#results.replaceChildren();
    this.#gpu.replaceChildren();
    this.#gpu.hidden = this.#save.hidden = true;
    say(this.#wrong, "");
    this.#busy(true);
    const began = performance.now();
    const seconds = owner.seconds ?? (owner.rehearsal ? 20 : 60);
    const clock = setInterval(() => (this.#progress.value = Math.min(1, (performance.now() - began) / 1000 / seconds)), 250);
    this.#doing("adapter");
    try {
      const report = await gpuReport({
        rehearsal: owner.rehearsal,
        ...(owner.seconds !== undefined && { seconds: owner.seconds }),
        ...(owner.worker !== undefined && { worker: owner.worker }),
        signal: run.signal,
        onResult: (line) => number === this.#runs && this.#take(line),
      });
      if (report.noGpuBecause === null) say(this.#said, this.#summary());
      owner.done(report);
    } catch (error) {
      if (owner.end.aborted) return;
      if (run.signal.aborted) say(this.#said, "Stopped. The file has the lines up to now.");
      else say(this.#wrong, worded(error).message);
    } finally {
      clearInterval(clock);
      this.#busy(false);
    }
  }

  #busy(isBusy: boolean): void {
    this.#start.hidden = isBusy;
    this.#stop.hidden = this.#progress.hidden = !isBusy;
    this.#progress.removeAttribute("value");
    this.#save.hidden = this.#lines.length === 0;
    if (!isBusy && this.#lines.length > 0) say(this.#start, "Start again");
  }

  #doing(step: StepName): void {
    say(this.#said, `Step ${STEPS.indexOf(step) + 1} of ${STEPS.length}. ${DOING[step]}`);
  }

  #take(line: ReportLine): void {
    this.#lines.push(line);
    this.#save.hidden = false;
    const { operations, networks, figures } = this.#tables;
    if (line.kind === "adapter") this.#showGpu(line);
    else if (line.kind === "operation") operations.add(line);
    else if (line.kind === "kernels" || line.kind === "network") networks.add(line);
    else if (line.kind === "figure") figures.add(line);
    else if (line.kind === "step") {
      const next = STEPS[STEPS.indexOf(line.step) + 1];
      if (next && line.end !== "failed") this.#doing(next);
      if (line.step === "adapter" && line.end === "failed") say(this.#said, line.reason ?? "There is no GPU.");
      const table = { adapter: null, operations, networks, figures }[line.step];
      const isStopped = this.#run?.signal.aborted;
      if (line.end !== "done") table?.note(isStopped ? "Stopped here." : line.end === "limit" ? `The time was over: ${line.reason}.` : `This step failed: ${line.reason}`);
    }
    const filled = [networks, figures, operations].filter((table) => !table.isEmpty).map(({ element }) => element);
    if (filled.length > this.#results.childElementCount) this.#results.replaceChildren(...filled);
  }

  #showGpu({ name, vendor, architecture, type, features, limits }: ReportLine & { kind: "adapter" }): void {
    const fact = (what: string, much: string | undefined) => (much ? [h("dt", {}, what), h("dd", {}, much)] : []);
    const mebibytes = (bytes: number | undefined) => (bytes === undefined ? undefined : `${Math.round(bytes / 2 ** 20).toLocaleString("en")} MiB`);
    const used = USED.filter((name) => features.includes(name));
    const list = h(
      "dl",
      {},
      ...fact("GPU", name),
      ...fact("Vendor", [vendor, architecture].filter(Boolean).join(", ")),
      ...fact("Largest buffer", mebibytes(limits["max_buffer_size"])),
      ...fact("Invocations per workgroup", limits["max_compute_invocations_per_workgroup"]?.toString()),
      ...fact("Features", used.length > 0 ? used.join(", ") : "none"),
    );
    this.#gpu.replaceChildren(h("h2", {}, "The GPU"), list);
    if (type === "software") {
      const sentence =
        "This is a software adapter: the browser computes WebGPU on the CPU. It shows whether results are right; its speed says nothing about a GPU. Switch on hardware acceleration in the settings of the browser, or use a machine with a graphics card.";
      this.#gpu.append(h("p", { class: "software", part: "software" }, sentence));
    }
    this.#gpu.hidden = false;
  }

  /** The result in a few sentences. */
  #summary(): string {
    const { operations, networks } = this.#tables;
    const rehearsal = this.#owner.rehearsal ? " This was a rehearsal: its figures say nothing." : " Save the file, and send it to the project: it becomes a row of its measurements.";
    return `Done. ${networks.sentence} ${operations.sentence}${rehearsal}`;
  }

  #saveLines(): void {
    const adapter = this.#lines.find((line) => line.kind === "adapter");
    saveFile(`spikelet GPU report ${adapter?.name ?? "without GPU"}`, "jsonl", new Blob([jsonLines(this.#lines)], { type: "application/jsonl" }));
  }
}

function tables(): { operations: OperationsTable; networks: NetworksTable; figures: FiguresTable } {
  return { operations: new OperationsTable(), networks: new NetworksTable(), figures: new FiguresTable() };
}
