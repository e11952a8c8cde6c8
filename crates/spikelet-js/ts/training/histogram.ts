// The weights before training and now.

import { h } from "../plots/dom.js";
import { short } from "../plots/numbers.js";
import { type Area, valueToY } from "../plots/surface.js";
import type { Theme } from "../plots/theme.js";
import { Figure } from "./figure.js";
import type { ParameterGroup } from "./raw.js";

const BINS = 48;

/** A histogram of one group of numbers, chosen from a list. */
export class Histogram extends Figure {
  readonly #choice: HTMLSelectElement;
  #groups: readonly ParameterGroup[] = [];

  constructor(theme: Theme, end: AbortSignal) {
    const choice = h("select", { "aria-label": "Numbers" });
    super(theme, end, "Weights", "histogram", choice);
    this.#choice = choice;
    choice.addEventListener("change", () => this.#show());
  }

  show(groups: readonly ParameterGroup[]): void {
    const names = groups.map(({ path }) => path);
    if (names.join() !== this.#groups.map(({ path }) => path).join()) {
      this.#choice.replaceChildren(...names.map((name, place) => h("option", { value: String(place) }, name)));
      this.#choice.hidden = names.length < 2;
    }
    this.#groups = groups;
    this.#show();
  }

  #show(): void {
    const key = (name: string, isFilled: boolean) => h("span", { class: "key" }, h("i", { class: isFilled ? "filled" : "hollow", "aria-hidden": "true" }), name);
    this.say(...(this.#groups.length > 0 ? [key("before", false), key("now", true)] : ["not yet"]));
    this.draw();
  }

  protected override drawn(area: Area): void {
    const group = this.#groups[Number(this.#choice.value)] ?? this.#groups[0];
    if (!group || group.now.length === 0) return this.describe("No weights yet.");
    const { surface } = this;
    const { pen, theme } = surface;
    let [low, high] = [Infinity, -Infinity];
    for (const values of [group.before, group.now]) {
      for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    const margin = (high - low) * 0.02 || Math.abs(high) * 0.1 || 1;
    [low, high] = [low - margin, high + margin];
    const counts = [group.before, group.now].map((values) => {
      const bins = new Float64Array(BINS);
      for (const value of values) bins[Math.min(BINS - 1, Math.floor(((value - low) / (high - low)) * BINS))]! += 1;
      return bins;
    });
    const range = [0, Math.max(1, ...counts.flatMap((bins) => [...bins])) * 1.05] as const;
    surface.valueAxis(area, range);
    surface.widthAxis(area, [low, high]);
    const x = (bin: number) => area.left + (bin / BINS) * area.width;
    pen.fillStyle = theme.colour("weights").css;
    pen.globalAlpha = 0.6;
    counts[1]!.forEach((count, bin) => {
      const y = valueToY(count, area, range);
      pen.fillRect(x(bin), y, area.width / BINS - 0.5, area.top + area.height - y);
    });
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.colour("ink").css;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x(0), area.top + area.height);
    counts[0]!.forEach((count, bin) => {
      const y = valueToY(count, area, range);
      pen.lineTo(x(bin), y);
      pen.lineTo(x(bin + 1), y);
    });
    pen.lineTo(x(BINS), area.top + area.height);
    pen.stroke();
    const mean = (values: Float32Array) => short(values.reduce((sum, value) => sum + value, 0) / values.length);
    this.describe(`${group.path}: ${group.now.length} numbers with mean ${mean(group.before)} before training, and ${mean(group.now)} now`);
  }
}
