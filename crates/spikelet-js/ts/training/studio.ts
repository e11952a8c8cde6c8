// The view of a training: what is trained, Start and Stop, curves, a sample and the weights before and after.

import { worded } from "../errors.js";
import type { Network } from "../network.js";
import { h, say } from "../plots/dom.js";
import { saveTable } from "../plots/save.js";
import { short, whole } from "../plots/numbers.js";
import type { Theme } from "../plots/theme.js";
import { Curves, type Line } from "./curves.js";
import { Figure } from "./figure.js";
import { TrainingForm } from "./form.js";
import { Histogram } from "./histogram.js";
import { CLASSES, Plane } from "./plane.js";
import { Raster } from "./raster.js";
import { saveFile } from "./save.js";
import type { TrainingInfo } from "./raw.js";
import { type BatchReport, type EpochReport, type SampleActivity, Training } from "./training.js";

/** The element, as its view sees it. */
export interface Owner {
  /** Aborted when the element is removed. */
  readonly end: AbortSignal;
  worker(): string | undefined;
  /** A training was opened. */
  ready(training: Training): void;
  /** Offers a trained network to the page; returns whether it was opened. */
  open(network: Network): boolean;
}

/** Points along each side of the picture of decisions. */
const RESOLUTION = 56;

/** Biological time for which a network that is opened has input, at least. */
const INPUT_MS = 10_000;

/** Samples whose spikes can be shown; all are simulated before the training. */
const SAMPLES = 20;

/** The view. */
export class Studio {
  readonly element: HTMLElement;
  readonly #owner: Owner;
  readonly #form: TrainingForm;
  readonly #loss: Curves;
  readonly #accuracy: Curves;
  readonly #before: Raster;
  readonly #after: Raster;
  readonly #plane: Plane;
  readonly #histogram: Histogram;
  readonly #figures: readonly Figure[];
  readonly #start = h("button", { type: "button", class: "main", part: "button start" }, "Start");
  readonly #stop = h("button", { type: "button", part: "button stop", hidden: "" }, "Stop");
  readonly #again = h("button", { type: "button", part: "button again", hidden: "" }, "From the beginning");
  readonly #said = h("p", { class: "said", part: "report", role: "status" });
  readonly #rates = h("p", { class: "said", part: "rates", hidden: "" });
  readonly #notices = h("ul", { class: "notices", part: "notices", role: "status", hidden: "" });
  readonly #wrong = h("p", { class: "wrong", part: "error", role: "alert" });
  readonly #progress = h("progress", { hidden: "", max: "1", "aria-label": "Training" });
  readonly #sampleNumber = h("select", { "aria-label": "Sample", part: "sample" });
  readonly #results = h("div", { class: "toolbar results", part: "results", hidden: "" });
  #training: Training | null = null;
  #batches: BatchReport[] = [];
  /** The samples before training. */
  #untrained: SampleActivity[] = [];
  #isReading = false;
  /** When the state may be read again. */
  #readAgain = 0;
  #first: { accuracy: number | null; loss: number } | null = null;

  constructor(owner: Owner, theme: Theme, preset: string | null) {
    this.#owner = owner;
    const { end } = owner;
    this.#loss = new Curves(theme, end, "Loss", "loss", false);
    this.#accuracy = new Curves(theme, end, "Accuracy", "accuracy", true);
    this.#before = new Raster(theme, end, "Before training", "raster before");
    this.#after = new Raster(theme, end, "Now", "raster after");
    this.#plane = new Plane(theme, end);
    this.#histogram = new Histogram(theme, end);
    this.#figures = [this.#loss, this.#accuracy, this.#before, this.#after, this.#plane, this.#histogram];
    this.#form = new TrainingForm(preset, () => owner.worker(), () => this.#discard());
    this.#start.addEventListener("click", () => void this.#run());
    this.#stop.addEventListener("click", () => this.#training?.stop());
    this.#again.addEventListener("click", () => this.#discard());
    this.#sampleNumber.addEventListener("change", () => void this.#guarded(() => this.#showSample()));
    this.#fillResults();
    const buttons = h("div", { class: "toolbar" }, this.#start, this.#stop, this.#again);
    const status = h("div", { class: "lab-status" }, this.#said, this.#progress, this.#rates, this.#notices, this.#wrong);
    const sample = h("label", { class: "sample" }, "Sample for evaluation ", this.#sampleNumber);
    const spikes = h("section", { class: "spikes", "aria-label": "Spikes of a sample" }, sample, this.#before.element, this.#after.element);
    const curves = h("section", { class: "curves", "aria-label": "Curves" }, this.#accuracy.element, this.#loss.element);
    const inside = h("section", { class: "inside", "aria-label": "Decisions and weights" }, this.#plane.element, this.#histogram.element);
    this.element = h("div", { class: "training" }, this.#form.element, buttons, status, this.#results, h("div", { class: "panels" }, curves, inside, spikes), this.#form.json);
    end.addEventListener("abort", () => this.#training?.dispose());
    this.#clear();
  }

  /** Lists the presets, and shows the chosen one. */
  async begin(): Promise<void> {
    await this.#guarded(async () => this.#form.fill(await Training.presets({ worker: this.#owner.worker(), signal: this.#owner.end })));
  }

  /** Offers a network of the page to be trained. */
  offer(network: string | null): void {
    this.#form.offer(network);
  }

  redraw(): void {
    for (const figure of this.#figures) figure.draw();
  }

  #fillResults(): void {
    const button = (text: string, part: string, act: (training: Training) => Promise<void>) => {
      const made = h("button", { type: "button", part: `button ${part}` }, text);
      made.addEventListener("click", () => {
        const training = this.#training;
        if (training) void this.#guarded(() => act(training));
      });
      return made;
    };
    this.#results.append(
      button("Open in the simulator", "open", async (training) => {
        const network = await training.network();
        const isShown = this.#owner.open(this.#untrained.length > 0 ? withInput(network, training.info, this.#untrained) : network);
        if (!isShown) saveNetwork(training, network);
      }),
      button("Save the network", "save-network", async (training) => {
        saveNetwork(training, await training.network());
      }),
      button("Save the curve (CSV)", "save-curve", async (training) => {
        const rates = training.curve[0]?.rates.map(({ population }) => `${population}_hz`) ?? [];
        const rows = training.curve.map((of) => [of.epoch, of.loss, of.lossTest ?? "", of.accuracyTrain ?? "", of.accuracyTest ?? "", of.seconds, ...of.rates.map(({ rateHz }) => rateHz)]);
        saveTable(`${training.info.name} curve`, [["epoch", "loss", "loss_test", "accuracy_train", "accuracy_test", "seconds", ...rates], ...rows]);
      }),
    );
  }

  /** Runs, and shows an error. */
  async #guarded(act: () => Promise<void>): Promise<void> {
    say(this.#wrong, "");
    try {
      await act();
    } catch (error) {
      if (!this.#owner.end.aborted && (error as { code?: string }).code !== "disposed") say(this.#wrong, worded(error).message);
    }
  }

  /** Forgets the training; Start opens another one. */
  #discard(): void {
    this.#training?.dispose();
    this.#training = null;
    this.#clear();
  }

  #clear(): void {
    this.#batches = [];
    this.#untrained = [];
    this.#first = null;
    this.#busy(false);
    this.#again.hidden = this.#results.hidden = true;
    this.#plane.element.hidden = !this.#form.hasPlane;
    this.#plane.show(null);
    for (const raster of [this.#before, this.#after]) raster.show(null, null, String);
    this.#histogram.show([]);
    this.#sampleNumber.replaceChildren();
    this.#notices.replaceChildren();
    this.#rates.hidden = this.#notices.hidden = true;
    this.#curves();
    say(this.#start, "Start");
    say(this.#wrong, "");
    say(this.#said, "Press Start: the network begins with random weights, and you see it learn.");
  }

  #busy(isBusy: boolean): void {
    this.#start.hidden = isBusy;
    this.#stop.hidden = this.#progress.hidden = !isBusy;
    this.#again.hidden = isBusy || this.#training === null;
    this.#form.lock(isBusy);
  }

  async #run(): Promise<void> {
    await this.#guarded(async () => {
      this.#busy(true);
      try {
        const training = this.#training ?? (await this.#open());
        this.#results.hidden = false;
        const epochs = this.#form.epochs;
        await training.run(training.epoch >= training.info.epochs ? epochs : undefined);
        const last = training.curve.at(-1);
        const accuracy = last?.accuracyTest ?? null;
        const seconds = training.curve.reduce((sum, epoch) => sum + epoch.seconds, 0);
        const reached = accuracy === null ? "" : `, ${(100 * accuracy).toFixed(1)} % of ${whole(training.info.testSamples)} new samples are right`;
        say(this.#said, `After ${training.epoch} ${training.epoch === 1 ? "epoch" : "epochs"} and ${seconds.toFixed(1)} s${reached}.`);
        say(this.#start, training.epoch >= training.info.epochs ? "Train on" : "Continue");
      } finally {
        this.#busy(false);
      }
      await this.#showState();
    });
  }

  async #open(): Promise<Training> {
    const { end } = this.#owner;
    say(this.#said, "Making samples and the network …");
    this.#progress.removeAttribute("value");
    const { source, options } = this.#form.chosen();
    const training = await Training.open(source, { ...options, worker: this.#owner.worker(), signal: end });
    this.#training = training;
    this.#owner.ready(training);
    training.on("batch", (report) => {
      this.#batch(report);
      this.#refresh(training);
    });
    training.on("epoch", (epoch) => {
      this.#curves();
      this.#health(epoch);
    });
    const { info } = training;
    this.#plane.element.hidden = !info.hasPlane;
    const samples = Array.from({ length: Math.min(info.testSamples, SAMPLES) }, (_, index) => h("option", { value: String(index) }, String(index + 1)));
    this.#sampleNumber.replaceChildren(...samples);
    this.#first = await training.evaluate();
    for (const [index, option] of samples.entries()) {
      const sample = await training.sample(index);
      this.#untrained.push(sample);
      if (sample.class !== null) option.append(`: ${this.#nameOf(sample.class)}`);
    }
    await this.#showState();
    this.#curves();
    return training;
  }

  #batch(report: BatchReport): void {
    this.#batches.push(report);
    const { epoch, batch, batches } = report;
    const all = this.#epochs;
    this.#progress.value = (epoch - 1 + batch / batches) / all;
    const last = this.#training?.curve.at(-1)?.accuracyTest ?? this.#first?.accuracy ?? null;
    const accuracy = last === null ? "" : `; ${(100 * last).toFixed(1)} % of the new samples are right so far`;
    say(this.#said, `Epoch ${epoch} of ${all}, batch ${batch} of ${batches}, ${report.seconds.toFixed(1)} s${accuracy}.`);
    this.#curves();
  }

  /** Shows what fires, and what does not learn. */
  #health({ rates, notices }: EpochReport): void {
    this.#rates.hidden = rates.length === 0;
    say(this.#rates, `Spikes of a neuron in a second: ${rates.map(({ population, rateHz }) => `${population} ${short(rateHz, 3)}`).join(", ")}.`);
    this.#notices.append(...notices.map((notice) => h("li", {}, notice)));
    this.#notices.hidden = this.#notices.childElementCount === 0;
  }

  /** Reads the state of the training again, if that was not done recently: reading takes a fifth of the time at most. */
  #refresh(training: Training): void {
    if (this.#isReading || performance.now() < this.#readAgain) return;
    void this.#guarded(async () => {
      if (training === this.#training) await this.#showState();
    });
  }

  /** The epochs of the horizontal axes. */
  get #epochs(): number {
    const training = this.#training;
    return training ? Math.max(training.info.epochs, this.#batches.at(-1)?.epoch ?? 0) : this.#form.epochs;
  }

  #curves(): void {
    const at = ({ epoch, batch, batches }: BatchReport) => epoch - 1 + batch / batches;
    const curve = this.#training?.curve ?? [];
    const first = this.#first;
    const before = first === null ? [] : [{ x: 0, y: first.loss }];
    const loss: Line[] = [
      { name: "in training", use: "inhibitory", dash: 0, isNoisy: true, points: this.#batches.map((report) => ({ x: at(report), y: report.loss })) },
      { name: "new samples", use: "weights", dash: 0, points: [...before, ...curve.flatMap(({ epoch, lossTest }) => (lossTest === null ? [] : [{ x: epoch, y: lossTest }]))] },
    ];
    const tested = curve.flatMap(({ epoch, accuracyTest }) => (accuracyTest === null ? [] : [{ x: epoch, y: accuracyTest }]));
    const trained = this.#batches.flatMap((report) => (report.accuracy === null ? [] : [{ x: at(report), y: report.accuracy }]));
    const start = first === null || first.accuracy === null ? [] : [{ x: 0, y: first.accuracy }];
    this.#loss.show(loss, this.#epochs);
    this.#accuracy.show(
      [
        { name: "in training", use: "inhibitory", dash: 0, isNoisy: true, points: trained },
        { name: "new samples", use: "weights", dash: 0, points: [...start, ...tested] },
      ],
      this.#epochs,
    );
  }

  #nameOf(found: number): string {
    return this.#training?.info.hasPlane ? (CLASSES[found]?.name ?? "nothing") : `class ${found}`;
  }

  /** Shows the chosen sample before training, and now. */
  async #showSample(): Promise<void> {
    const training = this.#training;
    if (!training) return;
    const index = Number(this.#sampleNumber.value || "0");
    this.#before.show(training.info, this.#untrained[index] ?? null, (found) => this.#nameOf(found));
    this.#after.show(training.info, await training.sample(index), (found) => this.#nameOf(found));
  }

  /** Reads the state of the training, and shows it. Its requests are carried out between batches. */
  async #showState(): Promise<void> {
    const training = this.#training;
    if (!training) return;
    const began = performance.now();
    this.#isReading = true;
    try {
      if (training.info.hasPlane) this.#plane.show(await training.plane(RESOLUTION));
      this.#histogram.show(await training.weights());
      await this.#showSample();
    } finally {
      this.#isReading = false;
      this.#readAgain = performance.now() + Math.max(700, 4 * (performance.now() - began));
    }
  }
}

/** The network with the inputs of samples, one after the other again and again. */
function withInput(network: Network, { populations, input, durationMs }: TrainingInfo, samples: readonly SampleActivity[]): Network {
  const index = populations.findIndex(({ name }) => name === input);
  const first = populations.slice(0, index).reduce((sum, { size }) => sum + size, 0);
  const size = populations[index]?.size ?? 0;
  const count = Math.ceil(INPUT_MS / durationMs);
  const spikes = Array.from({ length: count }, (_, turn) => {
    const { neurons, timesMs } = samples[turn % samples.length]!;
    const own = [...neurons.keys()].filter((place) => neurons[place]! >= first && neurons[place]! < first + size);
    return own.map((place): [number, number] => [neurons[place]! - first, timesMs[place]! + turn * durationMs]);
  });
  const sources = (network.sources ?? []).map((source) => (source.name === input ? { ...source, spike_times_ms: spikes.flat() } : source));
  return { ...network, duration_ms: count * durationMs, sources };
}

function saveNetwork({ info }: Training, network: Network): void {
  saveFile(`${info.name}.json`, "application/json", JSON.stringify(network, null, 1));
}
