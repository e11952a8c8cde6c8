import type { Info } from "../raw.js";
import { ComputedPlot, shownTrains } from "./computed.js";
import { type Frame, legendOf } from "./frame.js";
import { ratesOf } from "./measure/measures.js";
import { signalOf } from "./measure/signal.js";
import { type Peak, type Spectrum, peakOf, welch } from "./measure/spectrum.js";
import type { Computation } from "./measure/computation.js";
import { SteadyRange, quantity, short } from "./numbers.js";
import type { Chosen, PlotKind, Scene } from "./plot.js";
import { type ValueScale, drawAcross, drawLack, drawUp, fromX, scaleSetting, toX, toY } from "./scale.js";
import type { Span } from "./surface.js";
import { DASHES, type Mark, marksOf } from "./theme.js";
import { ALL_HIDDEN, between } from "./words.js";

/** Maximum number of recorded variables to choose from. */
export const CHOICES = 8;

/** The plot of power spectra. */
export const SPECTRUM: PlotKind = {
  name: "spectrum",
  title: "Power spectrum",
  about: "one-sided power spectral density by Welch's method (segments of 64 to 4096 ms that overlap by half, without their mean, with Hann windows): of the population rates in bins of 1 ms, in Hz²/Hz, or of one of the first 8 recorded variables, for voltages in mV²/Hz; with the frequency of the peak and its height relative to the median",
  needs: ["spikes", "samples"],
  standard: false,
  settings: [
    {
      name: "of",
      about: "0 the population rates, 1 the first recorded variable, …",
      value: 0,
      least: 0,
      menu: ({ channels }) => ["of rates", ...channels.slice(0, CHOICES).map(({ label }) => `of ${label}`)],
    },
    scaleSetting("power"),
    { name: "reach", about: "largest frequency in Hz", value: 200, least: 10 },
  ],
  lacking: () => null,
  make: (frame, info, chosen) => new PowerSpectrum(frame, info, chosen),
};

/** Decades of a logarithmic scale, at most. */
const DECADES = 6;

/** Why the plot is empty at first. */
const TOO_SHORT = "needs at least 64 ms in the view";

/** A spectrum that is drawn as a line. */
interface Line {
  readonly name: string;
  readonly mark: Mark;
  readonly spectrum: Spectrum;
  readonly peak: Peak | null;
}

interface Result {
  readonly lines: readonly Line[];
  /** Why there are no lines, if there are none. */
  readonly lack: string;
}

/** Power spectra of rates or of a recorded variable. */
class PowerSpectrum extends ComputedPlot<Result> {
  readonly #info: Info;
  /** The recorded variable; undefined for rates. */
  readonly #channel: Info["channels"][number] | undefined;
  readonly #unit: string;
  readonly #isLog: boolean;
  readonly #reachHz: number;
  readonly #range = new SteadyRange();

  constructor(frame: Frame, info: Info, { settings }: Chosen) {
    super(frame);
    this.#info = info;
    this.#channel = info.channels[settings["of"]! - 1];
    const unit = this.#channel ? this.#channel.unit : "Hz";
    this.#unit = unit === "" ? "1/Hz" : `${/[ /·]/.test(unit) ? `(${unit})` : unit}²/Hz`;
    this.#isLog = settings["scale"] === 0;
    this.#reachHz = settings["reach"]!;
    frame.setAbout(`in ${this.#unit}`);
    frame.setLegend(this.#channel ? [] : legendOf(info, (index) => info.network.populations[index]!.name));
  }

  protected *compute(scene: Scene): Computation<Result> {
    const lines: Line[] = [];
    const add = (name: string, mark: Mark, spectrum: Spectrum | null) => {
      if (spectrum) lines.push({ name, mark, spectrum, peak: peakOf(spectrum) });
    };
    if (this.#channel) {
      const { label } = this.#channel;
      const { span: { fromMs, toMs, nowMs }, info: { dtMs }, past: { samples } } = scene;
      const { values, sampleMs } = yield* signalOf(samples, label, fromMs, Math.min(toMs, nowMs) + dtMs, dtMs);
      const { populations } = this.#info.network;
      const index = populations.findIndex(({ name }) => label.startsWith(`${name}.`));
      add(label, { use: marksOf(populations)[index]?.use ?? "ink", dash: 0 }, yield* welch(values, sampleMs));
      return { lines, lack: TOO_SHORT };
    }
    const trains = yield* shownTrains(scene);
    for (const members of trains.populations) add(members.name, members.mark, yield* welch(ratesOf(members, trains), trains.binMs));
    return { lines, lack: trains.populations.length === 0 ? ALL_HIDDEN : TOO_SHORT };
  }

  protected paint({ lines, lack }: Result): void {
    const { surface } = this.frame;
    const { pen, theme } = surface;
    const area = surface.begin();
    const across: ValueScale = { low: 0, high: this.#reachHz, isLog: false };
    const up = this.#up(lines);
    surface.within(area, () => {
      pen.lineWidth = 1.5;
      pen.lineJoin = "round";
      for (const { mark: { use, dash }, spectrum: { stepHz, power } } of lines) {
        pen.strokeStyle = theme.colour(use).css;
        pen.setLineDash([...DASHES[dash]!]);
        pen.beginPath();
        for (let k = 1; k < power.length && (k - 1) * stepHz <= this.#reachHz; k += 1) {
          pen.lineTo(toX(k * stepHz, area, across), toY(this.#isLog ? Math.max(power[k]!, up.low / 10) : power[k]!, area, up));
        }
        pen.stroke();
      }
      pen.setLineDash([]);
    });
    if (lines.length === 0) drawLack(surface, area, lack);
    drawAcross(surface, area, across, "Hz");
    drawUp(surface, area, up);
    const peaks = lines.flatMap(({ name, peak }) => (peak ? [`${name} ${peakText(peak)}`] : []));
    const resolution = lines[0] ? `resolution ${short(lines[0].spectrum.stepHz)} Hz` : "";
    this.frame.setRemark([peaks.length > 0 ? `peak ${peaks.join(", ")}` : "", resolution].filter((one) => one !== "").join("; "));
  }

  protected tell({ lines, lack }: Result, span: Span): string {
    const said = lines.map(({ name, peak }) => (peak ? `${name} has its peak at ${peakText(peak)}` : `${name} has no power`));
    return `Power spectrum ${between(span)}: ${said.join("; ") || lack}.`;
  }

  protected read(x: number, _: number, { lines }: Result): string {
    const hz = fromX(x, this.frame.surface.area, { low: 0, high: this.#reachHz, isLog: false });
    if (hz === null) return "";
    const said = lines.flatMap(({ name, spectrum: { stepHz, power } }) => {
      const value = power[Math.max(1, Math.round(hz / stepHz))];
      return value === undefined ? [] : [`${name} ${quantity(value, this.#unit)}`];
    });
    return said.length === 0 ? "" : `${said.join(", ")} at ${short(hz)} Hz`;
  }

  protected *rows({ lines }: Result): Iterable<readonly (string | number)[]> {
    yield ["signal", "frequency_hz", "power", "unit"];
    for (const { name, spectrum: { stepHz, power } } of lines) {
      for (const [k, value] of power.entries()) yield [name, Number((k * stepHz).toPrecision(9)), value, this.#unit];
    }
  }

  /** The scale of power. */
  #up(lines: readonly Line[]): ValueScale {
    let [least, most] = [Infinity, 0];
    for (const { spectrum: { stepHz, power } } of lines) {
      for (let k = 1; k < power.length && k * stepHz <= this.#reachHz; k += 1) {
        if (power[k]! > 0) least = Math.min(least, power[k]!);
        most = Math.max(most, power[k]!);
      }
    }
    if (!this.#isLog) {
      const [low, high] = this.#range.hold(0, most);
      return { low, high, isLog: false };
    }
    if (most === 0) return { low: 0.1, high: 10, isLog: true };
    const last = Math.ceil(Math.log10(most) - 1e-9);
    const first = Math.max(Math.floor(Math.log10(least) + 1e-9), last - DECADES);
    return { low: 10 ** Math.min(first, last - 1), high: 10 ** last, isLog: true };
  }
}

/** `42 Hz (5.1 times the median)` */
function peakText({ hz, height }: Peak): string {
  return Number.isFinite(height) ? `${short(hz)} Hz (${short(height, 2)} × median)` : `${short(hz)} Hz`;
}
