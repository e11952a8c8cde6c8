import type { Info } from "../raw.js";
import type { Frame } from "./frame.js";
import { short } from "./numbers.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";
import { marksOf } from "./theme.js";
import { between } from "./words.js";

/** The mean rates of populations as bars. */
export const BARS: PlotKind = {
  name: "bars",
  title: "Rates in the window",
  about: "the mean firing rate of each population in the window, as one bar each",
  needs: ["rates"],
  settings: [],
  lacking: () => null,
  make: (frame, info, chosen) => new Bars(frame, info, chosen),
};

/** One bar per population. */
class Bars implements Plot {
  readonly #frame: Frame;
  readonly #info: Info;

  constructor(frame: Frame, info: Info, _: Chosen) {
    this.#frame = frame;
    this.#info = info;
  }

  draw(scene: Scene): void {
    const { surface } = this.#frame;
    const { pen, theme } = surface;
    const area = surface.begin();
    const means = this.#means(scene);
    const most = Math.max(1, ...means);
    const width = area.width / means.length;
    marksOf(this.#info.network.populations).forEach(({ use }, place) => {
      const height = (means[place]! / most) * area.height;
      pen.fillStyle = theme.colour(use).css;
      pen.fillRect(area.left + (place + 0.1) * width, area.top + area.height - height, 0.8 * width, height);
    });
    surface.valueAxis(area, [0, most]);
  }

  describe(scene: Scene): string {
    const means = this.#means(scene);
    const said = this.#info.network.populations.map(({ name }, place) => `${name} ${short(means[place]!)} Hz`);
    return `Mean firing rates ${between(scene.span)}: ${said.join("; ")}.`;
  }

  under(x: number, _: number, scene: Scene): string {
    const { left, width } = this.#frame.surface.area;
    const { populations } = this.#info.network;
    const place = Math.floor(((x - left) / width) * populations.length);
    const population = populations[place];
    return population === undefined ? "" : `${population.name} ${short(this.#means(scene)[place]!)} Hz`;
  }

  *export(scene: Scene): Iterable<readonly (string | number)[]> {
    yield ["population", "rate_hz"];
    const means = this.#means(scene);
    for (const [place, { name }] of this.#info.network.populations.entries()) yield [name, means[place]!];
  }

  /** Mean rate of each population in the window, in Hz. */
  #means({ past: { rates }, span }: Scene): number[] {
    return this.#info.network.populations.map((_, place) => {
      const found: number[] = [];
      rates.each(place, span.fromMs, (_, rate) => found.push(rate));
      return found.length === 0 ? 0 : found.reduce((sum, rate) => sum + rate) / found.length;
    });
  }
}
