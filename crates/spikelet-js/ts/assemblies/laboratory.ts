// The laboratory: two stimuli and three areas, the operations of the calculus, and rounds of one's own.

import { worded } from "../errors.js";
import { h, say } from "../plots/dom.js";
import { whole } from "../plots/numbers.js";
import type { Theme } from "../plots/theme.js";
import { Brain, type Round, overlap } from "./brain.js";
import { Curves } from "./curves.js";
import { type Bench, EXPERIMENTS, type Experiment } from "./experiments.js";
import { NumberField } from "./field.js";
import { Collection, type Saved, percent, tables } from "./matrix.js";
import type { Fibre } from "./raw.js";
import { Playback } from "./playback.js";
import { type SceneNode, Scene } from "./scene.js";
import { type Owner, type Settings, AREAS, FIBRES, fieldsOf, prefersStill } from "./settings.js";

/** The laboratory. Its brain is made when it is first needed. */
export class Laboratory {
  readonly element: HTMLElement;
  readonly #owner: Owner;
  readonly #scene: Scene;
  readonly #curves: Curves;
  readonly #fields: Record<"n" | "k" | "p" | "beta", NumberField>;
  readonly #saved = new Collection();
  readonly #playback: Playback;
  readonly #matrix = h("div", { class: "matrix", part: "overlaps" });
  readonly #said = h("p", { class: "said", part: "report", role: "status" });
  readonly #wrong = h("p", { class: "wrong", part: "error", role: "alert" });
  readonly #now = h("p", { class: "now" });
  readonly #stop = h("button", { type: "button", part: "button stop", hidden: "" }, "Stop");
  readonly #progress = h("progress", { hidden: "", "aria-label": "Computing" });
  readonly #buttons: HTMLButtonElement[] = [];
  readonly #chips: { fibre: Fibre; input: HTMLInputElement }[] = [];
  readonly #learns = h("input", { type: "checkbox", checked: "" });
  #brain: Brain | null = null;
  #before = new Map<string, Uint32Array>();
  /** The saved assemblies of the operations that were shown to their end. */
  #known: readonly Saved[] = [];
  #stopping: AbortController | null = null;
  #isStopped = false;
  #draw = 0;

  constructor(owner: Owner, theme: Theme, settings: Settings) {
    this.#owner = owner;
    this.#scene = new Scene(theme, 0.19, owner.end);
    this.#curves = new Curves(theme, owner.end);
    this.#playback = new Playback((round) => this.#show(round), (round) => this.#curves.add(round.round, round.winners));
    this.#fields = fieldsOf(settings, () => this.reset());
    this.#stop.addEventListener("click", () => this.#halt());
    const reset = h("button", { type: "button", part: "button reset" }, "New brain");
    reset.addEventListener("click", () => this.reset());
    const stage = h("div", { class: "lab-stage" }, this.#now, this.#scene.element);
    const status = h("div", { class: "lab-status" }, this.#said, this.#progress, this.#stop, this.#wrong);
    const plots = h("div", { class: "lab-plots" }, this.#matrix, this.#curves.element);
    const parameters = h("div", { class: "numbers", role: "group", "aria-label": "Parameters of a new brain" }, ...Object.values(this.#fields).map(({ element }) => element));
    const side = h("div", { class: "lab-side" }, status, plots);
    const note = h("p", { class: "note" }, "Another value begins a new brain.");
    this.element = h("div", { class: "lab" }, this.#operations(), stage, side, this.#ownRounds(reset), parameters, note);
    owner.end.addEventListener("abort", () => this.#brain?.dispose());
    this.#clear();
  }

  /** Discards the brain; the next operation makes another one with the values of the fields. */
  reset(): void {
    this.#halt();
    this.#brain?.dispose();
    this.#brain = null;
    this.#clear();
  }

  redraw(): void {
    this.#scene.draw();
    this.#curves.draw();
  }

  #clear(): void {
    this.#saved.clear();
    this.#known = [];
    this.#before = new Map();
    this.#draw = 0;
    this.#matrix.replaceChildren();
    this.#curves.clear(AREAS);
    this.#scene.setNodes(this.#nodes());
    this.#scene.show({ winners: new Map(), fibres: [], assemblies: [] }, "Areas A, B and C. No neuron fires.");
    say(this.#now, "Nothing fires yet.");
    say(this.#said, "Choose an operation. Start with “Project S into A”: it forms an assembly.");
    say(this.#wrong, "");
  }

  #nodes(): SceneNode[] {
    const n = this.#fields.n.value;
    const place = (name: string, n: number, wide: [number, number], narrow: [number, number]): SceneNode => ({ name, n, wide, narrow });
    return [
      place("S", 0, [0.08, 0.27], [0.25, 0.055]),
      place("T", 0, [0.08, 0.74], [0.75, 0.055]),
      place("A", n, [0.38, 0.27], [0.25, 0.34]),
      place("B", n, [0.38, 0.74], [0.75, 0.34]),
      place("C", n, [0.8, 0.5], [0.5, 0.79]),
    ];
  }

  #operations(): HTMLElement {
    const buttons = EXPERIMENTS.map((experiment) => {
      const button = h("button", { type: "button", part: "button operation", "data-operation": experiment.name, title: experiment.about }, experiment.title);
      button.addEventListener("click", () => void this.#perform(experiment));
      return button;
    });
    this.#buttons.push(...buttons);
    return h("div", { class: "operations", role: "group", "aria-label": "Operations" }, ...buttons);
  }

  #ownRounds(reset: HTMLButtonElement): HTMLElement {
    const chips = FIBRES.map((fibre) => {
      const input = h("input", { type: "checkbox", "data-fibre": fibre.join("→"), ...(fibre[0] === "S" && fibre[1] === "A" && { checked: "" }) });
      this.#chips.push({ fibre, input });
      return h("label", { class: "chip" }, input, fibre.join(" → "));
    });
    const rounds = (text: string, count: number) => {
      const button = h("button", { type: "button", part: "button", "data-rounds": String(count) }, text);
      button.addEventListener("click", () => void this.#rounds(count));
      this.#buttons.push(button);
      return button;
    };
    const pace = h("select", { "aria-label": "Pace" }, ...[["600", "slow"], ["150", "normal"], ["40", "fast"]].map(([ms, text]) => h("option", { value: ms }, text!)));
    pace.value = "150";
    pace.addEventListener("change", () => (this.#playback.paceMs = Number(pace.value)));
    const fibres = h("fieldset", {}, h("legend", {}, "Fibres of the next rounds"), h("div", { class: "chips" }, ...chips));
    const learning = h("label", { class: "chip" }, this.#learns, "synapses learn");
    const buttons = h("div", { class: "toolbar" }, rounds("Step", 1), rounds("10 rounds", 10), learning, h("label", { class: "pace-of" }, "Pace ", pace), reset);
    return h("div", { class: "own" }, fibres, buttons);
  }

  /** The brain with the values of the fields; null if one of them is wrong. */
  async #ready(): Promise<Bench | null> {
    if (!Object.values(this.#fields).map((field) => field.check()).every((isValid) => isValid)) {
      say(this.#wrong, "A parameter is not valid: see below.");
      return null;
    }
    const [n, k, p, beta] = [this.#fields.n.value, this.#fields.k.value, this.#fields.p.value, this.#fields.beta.value];
    if (this.#brain === null) {
      const brain = await Brain.create({ p, seed: this.#owner.seed(), signal: this.#owner.end, worker: this.#owner.worker() });
      for (const name of ["S", "T"]) await brain.addStimulus(name, k);
      for (const name of AREAS) await brain.addArea(name, { n, k, beta });
      brain.on("round", (round) => this.#playback.add(round));
      this.#brain = brain;
      this.#owner.ready(brain);
    }
    const [lab, brain] = [this, this.#brain];
    return { brain, saved: this.#saved, n, k, get draw() { return lab.#draw; }, set draw(draw) { lab.#draw = draw; } };
  }

  async #perform(experiment: Experiment): Promise<void> {
    if (experiment.isOwn) this.reset();
    await this.#work(experiment.about, (bench) => experiment.run(bench));
  }

  async #rounds(count: number): Promise<void> {
    const fibres = this.#chips.filter(({ input }) => input.checked).map(({ fibre }) => fibre);
    if (fibres.length === 0) return say(this.#wrong, "No fibre is open: tick at least one, such as S → A.");
    await this.#work(`${count === 1 ? "One round" : `${count} rounds`} with ${fibres.map((fibre) => fibre.join(" → ")).join(", ")}.`, async ({ brain }) => {
      const targets: Record<string, string[]> = {};
      for (const [from, to] of fibres) (targets[from] ??= []).push(to);
      await brain.setPlasticity(this.#learns.checked);
      this.#stopping = new AbortController();
      try {
        await brain.project(targets, count, { signal: this.#stopping.signal });
      } finally {
        // Operations learn. A brain that was discarded meanwhile needs no more of it.
        await brain.setPlasticity(true).catch(() => {});
      }
      const { rounds, areas } = await brain.info();
      return `After round ${whole(rounds)}, so many neurons have ever won: ${areas.map(({ name, support }) => `${name} ${whole(support)}`).join(", ")}.`;
    });
  }

  /** Runs one thing at a time, tells its progress, and explains what went wrong. */
  async #work(about: string, run: (bench: Bench) => Promise<string>): Promise<void> {
    say(this.#wrong, "");
    this.#setBusy(true);
    this.#isStopped = false;
    say(this.#said, about);
    try {
      const bench = await this.#ready();
      if (bench === null) return;
      this.#isComputing = true;
      const report = await run(bench).finally(() => (this.#isComputing = false));
      if (prefersStill()) this.#playback.finish();
      await this.#playback.shown();
      if (this.#owner.end.aborted || bench.brain !== this.#brain) return;
      say(this.#said, report);
      this.#save(bench);
    } catch (error) {
      if (this.#owner.end.aborted) return;
      if (this.#isStopped) this.#tellStop();
      else say(this.#wrong, worded(error).message);
    } finally {
      this.#stopping = null;
      this.#setBusy(false);
    }
  }

  #tellStop(): void {
    if (this.#brain === null) this.#clear();
    say(this.#said, this.#brain === null ? "Stopped. The next operation begins with a new brain." : "Stopped. The rounds so far stay.");
  }

  #save({ n, k }: Bench): void {
    this.#known = this.#saved.all;
    this.#matrix.replaceChildren(...tables(this.#known, k / n));
    this.#scene.show({ winners: this.#before, fibres: this.#fibres, assemblies: this.#known }, this.#now.textContent ?? "");
  }

  /** Ends what is computed, and shows the last round. Rounds end after the current one; an operation that is not complete ends with its brain. */
  #halt(): void {
    this.#isStopped = true;
    this.#playback.finish();
    if (this.#stopping) this.#stopping.abort();
    else if (this.#isComputing) {
      this.#brain?.dispose();
      this.#brain = null;
    }
  }

  #isComputing = false;
  #fibres: readonly Fibre[] = [];

  #setBusy(isBusy: boolean): void {
    this.#progress.hidden = this.#stop.hidden = !isBusy;
    for (const button of this.#buttons) button.disabled = isBusy;
  }

  #show(round: Round): void {
    const all = new Map(this.#before);
    const kept = [...round.winners].map(([name, neurons]) => {
      const before = this.#before.get(name);
      all.set(name, neurons);
      return before && before.length > 0 ? `${name} keeps ${percent(overlap(before, neurons))} of its winners` : `new winners in ${name}`;
    });
    this.#before = all;
    this.#fibres = round.fibres;
    this.#curves.add(round.round, round.winners);
    this.#curves.draw();
    const fibres = round.fibres.map((fibre) => fibre.join(" → ")).join(", ");
    const text = `Round ${whole(round.round)}: ${fibres}; ${kept.join(", ")}.`;
    say(this.#now, text);
    this.#scene.show({ winners: all, fibres: round.fibres, assemblies: this.#known }, text);
  }
}
