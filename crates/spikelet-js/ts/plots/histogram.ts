// Histograms of the populations of a network, drawn over each other.

import type { Computation } from "./measure/computation.js";
import { type ValueScale, drawAcross, drawLack, drawUp, fromX, partOf, toX, toY, valueAt } from "./scale.js";
import type { Area, Surface } from "./surface.js";
import { DASHES, type Mark } from "./theme.js";
import { ALL_HIDDEN } from "./words.js";

/** A histogram over a scale: the share of values in each bin, in %. */
export interface Histogram {
  readonly shares: Float64Array;
  /** Number of values, of which `outside` are not on the scale. */
  readonly values: number;
  readonly outside: number;
}

/** The histogram of a population. */
export interface PopulationHistogram extends Histogram {
  readonly name: string;
  readonly mark: Mark;
  readonly mean: number;
}

/** Values between two pauses. */
const AT_ONCE = 1 << 15;

/** Distributes values to bins of a scale. */
export function* histogram(values: ArrayLike<number>, scale: ValueScale, bins: number): Computation<Histogram> {
  const shares = new Float64Array(bins);
  let outside = 0;
  for (let index = 0; index < values.length; index += 1) {
    if (index % AT_ONCE === 0) yield;
    // The upper end belongs to the last bin.
    const bin = values[index] === scale.high ? bins - 1 : Math.floor(partOf(values[index]!, scale) * bins + 1e-9);
    if (bin >= 0 && bin < bins) shares[bin]! += 1;
    else outside += 1;
  }
  for (let bin = 0; bin < bins; bin += 1) shares[bin]! *= 100 / values.length;
  return { shares, values: values.length, outside };
}

/** The ends of a bin. */
export function binOf({ shares }: Histogram, bin: number, scale: ValueScale): readonly [number, number] {
  return [valueAt(bin / shares.length, scale), valueAt((bin + 1) / shares.length, scale)];
}

/** The bin at a horizontal position; null outside of the area. */
export function binUnder(x: number, area: Area, scale: ValueScale, bins: number): number | null {
  const value = fromX(x, area, scale);
  return value === null ? null : Math.min(Math.floor(partOf(value, scale) * bins + 1e-9), bins - 1);
}

/** What is said of each population: `E 12 %, I 10 %`. Those of which nothing is said are left out. */
export function named<Of extends PopulationHistogram>(all: readonly Of[], text: (one: Of) => string): string {
  const said = all.map((one) => [one.name, text(one)] as const);
  return said.flatMap(([name, about]) => (about === "" ? [] : [`${name} ${about}`])).join(", ");
}

/** Draws histograms as filled outlines, with their axes. `range` is the range of shares. */
export function drawHistograms(surface: Surface, all: readonly PopulationHistogram[], scale: ValueScale, unit: string, range: readonly [number, number]): void {
  const { pen, theme } = surface;
  const area = surface.begin();
  const up: ValueScale = { low: range[0], high: range[1], isLog: false };
  surface.within(area, () => {
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    for (const one of all) {
      if (one.values === 0) continue;
      const { use, dash } = one.mark;
      pen.fillStyle = pen.strokeStyle = theme.colour(use).css;
      pen.setLineDash([...DASHES[dash]!]);
      pen.beginPath();
      pen.moveTo(area.left, area.top + area.height);
      one.shares.forEach((share, bin) => {
        const [from, to] = binOf(one, bin, scale);
        const y = toY(share, area, up);
        pen.lineTo(toX(from, area, scale), y);
        pen.lineTo(toX(to, area, scale), y);
      });
      pen.lineTo(area.left + area.width, area.top + area.height);
      pen.globalAlpha = 0.15;
      pen.fill();
      pen.globalAlpha = 1;
      pen.stroke();
    }
    pen.setLineDash([]);
  });
  if (all.every(({ values }) => values === 0)) drawLack(surface, area, all.length === 0 ? ALL_HIDDEN : "too few spikes in the view");
  drawAcross(surface, area, scale, unit);
  drawUp(surface, area, up);
}
