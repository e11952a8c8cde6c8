// The view of kept runs, and how the present run differs from one.

import { h, say } from "../plots/dom.js";
import { quantity, short, whole } from "../plots/numbers.js";
import { type Difference, type KeptRun, MAX_KEPT, difference, keepRun, ratesIn } from "./compare.js";
import { Lines } from "./lines.js";
import { type Owner, type ExperimentView, button, field, fill, guarded } from "./owner.js";

/** The view. */
export class CompareView implements ExperimentView {
  readonly element: HTMLElement;
  readonly #owner: Owner;
  readonly #list = h("ul", { class: "kept", part: "kept" });
  readonly #with = h("select", { part: "with" });
  readonly #population = h("select", { part: "rate-of" });
  readonly #controls: HTMLElement;
  readonly #keep: HTMLButtonElement;
  readonly #wrong = h("p", { class: "wrong", part: "compare-error", role: "alert" });
  readonly #said = h("p", { class: "said", part: "compare-report", role: "status" });
  readonly #tables = h("div", { class: "tables" });
  readonly #lines: Lines;
  #kept: KeptRun[] = [];
  #last = 0;

  constructor(owner: Owner) {
    this.#owner = owner;
    const { theme, end } = owner;
    this.#lines = new Lines(theme, end, "rates");
    this.#lines.isEmpty = true;
    this.#keep = button("Keep this run", "keep", () => void guarded(this.#wrong, end, () => this.#keepNow()), "main");
    const again = button("Compare now", "compare", () => this.#compare());
    this.#controls = h("div", { class: "fields" }, field("Compare this run with", this.#with), field("Rates of", this.#population), again);
    for (const select of [this.#with, this.#population]) select.addEventListener("change", () => this.#compare());
    const note = h("p", { class: "note" }, `Keeps spikes and values of the present run, at most ${MAX_KEPT} runs. Change something, run again, and compare.`);
    this.element = h("section", { class: "compare", "aria-label": "Kept runs" }, note, h("div", { class: "status-line" }, this.#keep, this.#said, this.#wrong), this.#list, this.#controls, this.#lines.element, this.#tables);
    this.#fill();
    this.renew();
  }

  renew(): void {
    const { simulation, end } = this.#owner;
    this.#keep.disabled = !simulation;
    fill(this.#population, (simulation?.info.network.populations ?? []).map(({ name }) => [name, name]));
    simulation?.on("state", ({ running }) => {
      if (!running && simulation === this.#owner.simulation && this.#kept.length > 0 && simulation.timeMs > 0) this.#compare();
    }, { signal: end });
  }

  redraw(): void {
    this.#lines.draw();
  }

  #keepNow(): void {
    if (this.#kept.length >= MAX_KEPT) throw new RangeError(`${MAX_KEPT} runs are kept already; remove one first`);
    this.#last += 1;
    const run = this.#present(`Run ${this.#last}`);
    if (!run) return;
    this.#kept.push(run);
    this.#fill();
    this.#with.value = run.name;
    this.#compare();
  }

  #present(name: string): KeptRun | null {
    const { simulation, spikes } = this.#owner;
    return simulation && spikes ? keepRun(name, simulation.info, spikes, simulation.timeMs) : null;
  }

  #fill(): void {
    const row = (run: KeptRun) => {
      const name = h("input", { type: "text", value: run.name, "aria-label": `Name of ${run.name}`, maxlength: "40" });
      name.addEventListener("change", () => this.#rename(run, name));
      const remove = button("Remove", "remove", () => {
        this.#kept = this.#kept.filter((one) => one !== run);
        this.#fill();
        this.#compare();
      });
      remove.setAttribute("aria-label", `Remove ${run.name}`);
      const about = `${run.network}, ${short(run.end * run.dtMs, 6)} ms, ${whole(run.steps.length)} spikes`;
      return h("li", {}, name, h("span", { class: "note" }, about), remove);
    };
    this.#list.replaceChildren(...this.#kept.map(row));
    fill(this.#with, this.#kept.map(({ name }) => [name, name]));
    this.#controls.hidden = this.#list.hidden = this.#kept.length === 0;
  }

  #rename(run: KeptRun, input: HTMLInputElement): void {
    const name = input.value.trim();
    const isFree = name !== "" && this.#kept.every((one) => one === run || one.name !== name);
    input.setAttribute("aria-invalid", String(!isFree));
    if (!isFree) return say(this.#wrong, name === "" ? "A kept run needs a name." : `Another run is named “${name}”; choose another name.`);
    say(this.#wrong, "");
    const chosen = this.#with.value === run.name ? name : this.#with.value;
    this.#kept = this.#kept.map((one) => (one === run ? { ...run, name } : one));
    this.#fill();
    this.#with.value = chosen;
    this.#compare();
  }

  #compare(): void {
    void guarded(this.#wrong, this.#owner.end, () => {
      const before = this.#kept.find(({ name }) => name === this.#with.value);
      this.#lines.isEmpty = true;
      this.#tables.replaceChildren();
      say(this.#said, "");
      if (!before || !this.#owner.simulation?.timeMs) return;
      const now = this.#present("this run");
      if (now) this.#show(before, now, difference(before, now));
    });
  }

  #show(before: KeptRun, now: KeptRun, found: Difference): void {
    const { fromMs, toMs, first, values, measures, every } = found;
    const span = `${short(fromMs, 6)} to ${short(toMs, 6)} ms`;
    const some = every > 1 ? ` (of every ${every}th neuron)` : "";
    const spikes =
      first === undefined
        ? "The spikes cannot be compared: the populations or the time steps differ."
        : first === null
          ? `Same spikes${some} from ${span}.`
          : `The first spike that differs${some}: neuron ${first.neuron} of ${first.population} at ${short(first.timeMs, 6)} ms, only in ${first.isBefore ? before.name : now.name}.`;
    say(this.#said, spikes);
    const population = this.#population.value;
    const line = (run: KeptRun, use: "excitatory" | "muted", dash: number) => {
      const { binMs, fromMs: from, values: rates } = ratesIn(run, population, fromMs, toMs);
      return { name: run.name, use, dash, hasDots: false, points: [...rates].map((y, bin) => ({ x: from + (bin + 0.5) * binMs, y, sd: 0 })) };
    };
    const lines = [line(now, "excitatory", 0), line(before, "muted", 1)];
    this.#lines.show({ title: `Rate of ${population}`, about: `solid: this run; dashed: ${before.name}`, x: { name: "Time", unit: "ms", isLog: false, range: [fromMs, toMs] }, y: { name: "Rate", unit: "Hz" }, lines, mark: null });
    const changed = values.map(({ path, unit, before: one, now: other }) => [path, quantity(one, unit, 4), quantity(other, unit, 4)]);
    const rows = measures.map(({ population: of, title, unit, before: one, now: other, difference: delta, percent }) => [
      `${of}: ${title}`, quantity(one, unit), quantity(other, unit), quantity(delta, unit), Number.isNaN(percent) ? "—" : `${short(percent, 3)} %`,
    ]);
    this.#tables.replaceChildren(
      changed.length === 0 ? h("p", { class: "note", part: "values" }, "All parameters are equal.") : table("values", ["Parameter", before.name, "this run"], changed),
      table("measures", [`Measure, ${span}`, before.name, "this run", "Δ", "Δ %"], rows),
    );
  }
}

function table(part: string, head: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const body = rows.map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name!), ...cells.map((cell) => h("td", {}, cell))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": head[0] }, h("table", { part }, h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...body)));
}
