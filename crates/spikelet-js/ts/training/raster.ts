// The spikes of a sample.

import { h } from "../plots/dom.js";
import { type Area, timeToX } from "../plots/surface.js";
import type { Theme, Use } from "../plots/theme.js";
import { Figure } from "./figure.js";
import type { TrainingInfo } from "./raw.js";
import type { SampleActivity } from "./training.js";

const COLOURS: readonly Use[] = ["muted", "excitatory", "inhibitory", "weights", "other-1", "other-2", "other-3", "other-4"];

/** A raster in bands: each population has one, and small ones are high enough to be seen. */
export class Raster extends Figure {
  #info: TrainingInfo | null = null;
  #sample: SampleActivity | null = null;

  constructor(theme: Theme, end: AbortSignal, name: string, part: string) {
    super(theme, end, name, part);
  }

  /** Shows a sample; null for none. */
  show(info: TrainingInfo | null, sample: SampleActivity | null, nameOf: (index: number) => string): void {
    this.#info = info;
    this.#sample = sample;
    if (sample === null) this.say("not yet");
    else if (sample.class === null) this.say();
    else {
      const isRight = sample.class === sample.decision;
      const decision = sample.decision === null ? "nothing" : nameOf(sample.decision);
      this.say(`is ${nameOf(sample.class)}, the network says ${decision}:`, h("span", { class: isRight ? "right" : "false" }, isRight ? "right" : "wrong"));
    }
    this.draw();
  }

  protected override drawn(area: Area): void {
    const [info, sample] = [this.#info, this.#sample];
    if (!info || !sample) return this.describe("No sample was simulated yet.");
    const { surface } = this;
    const { pen, theme } = surface;
    const span = { fromMs: 0, toMs: info.durationMs, nowMs: info.durationMs };
    surface.timeAxis(area, span);
    const bands = bandsOf(info, area);
    const last = bands.at(-1)!;
    for (const { name, top, height, use } of bands) {
      surface.name(name, { ...area, left: area.left, top, height }, theme.colour(use).css);
      pen.fillStyle = theme.colour("line").css;
      if (top > area.top) pen.fillRect(area.left, top - 2, area.width, 1);
    }
    sample.neurons.forEach((neuron, place) => {
      const band = bands.find(({ first, size }) => neuron >= first && neuron < first + size) ?? last;
      const y = band.top + (band.height * (neuron - band.first + 0.5)) / band.size;
      const tall = Math.min(14, Math.max(2, (band.height / band.size) * 0.8));
      pen.fillStyle = theme.colour(band.use).css;
      pen.fillRect(timeToX(sample.timesMs[place]!, area, span) - 0.75, y - tall / 2, 1.8, tall);
    });
    this.describe(`Raster: ${sample.neurons.length} spikes in ${info.durationMs} ms`);
  }
}

interface Band {
  readonly name: string;
  readonly first: number;
  readonly size: number;
  readonly top: number;
  readonly height: number;
  readonly use: Use;
}

/** The bands, the input on top; a band grows with the square root of its population, so that a few neurons are seen beside many. */
function bandsOf({ populations, input }: TrainingInfo, area: Area): Band[] {
  const gap = 4;
  const sum = populations.reduce((all, { size }) => all + Math.sqrt(size) + 2, 0);
  const room = area.height - gap * (populations.length - 1);
  let first = 0;
  const numbered = populations.map(({ name, size }) => ({ name, size, first: (first += size) - size }));
  const ordered = [...numbered.filter(({ name }) => name === input), ...numbered.filter(({ name }) => name !== input)];
  let top = area.top;
  return ordered.map((population, place) => {
    const height = (room * (Math.sqrt(population.size) + 2)) / sum;
    const band = { ...population, top, height, use: COLOURS[place % COLOURS.length]! };
    top += height + gap;
    return band;
  });
}
