import { ask } from "./device.js";
import type { Sense, SenseGrid } from "./sense.js";

/** The range of frequencies, in Hz. */
const LOWEST = 80;
const HIGHEST = 8000;
/** The range of levels, in dB of full scale. */
const QUIET = -85;
const LOUD = -25;
/** Maximum number of bands: finer ones are not resolved at low frequencies. */
const MAX_BANDS = 64;

/** The sound of the microphone: its spectrum in bands of equal width on the scale of pitch, low ones first, or its loudness for all neurons. */
export class Microphone implements Sense {
  readonly name = "microphone";
  values = new Float32Array(0);
  /** Whether all neurons have the loudness of the whole sound. */
  isEnvelope = false;
  #stream: MediaStream | null = null;
  #audio: AudioContext | null = null;
  #analyser: AnalyserNode | null = null;
  #spectrum = new Float32Array(0);
  #wave = new Float32Array(0);

  async start({ pixels }: SenseGrid): Promise<void> {
    this.values = new Float32Array(pixels.length);
    this.#stream = await ask("microphone", { audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
    this.#audio = new AudioContext();
    this.#analyser = new AnalyserNode(this.#audio, { fftSize: 2048, smoothingTimeConstant: 0.5 });
    this.#spectrum = new Float32Array(this.#analyser.frequencyBinCount);
    this.#wave = new Float32Array(this.#analyser.fftSize);
    this.#audio.createMediaStreamSource(this.#stream).connect(this.#analyser);
    await this.#audio.resume();
  }

  stop(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    void this.#audio?.close();
    [this.#stream, this.#audio, this.#analyser] = [null, null, null];
  }

  sample(): void {
    if (!this.#analyser || !this.#audio) return;
    if (this.isEnvelope) {
      this.#analyser.getFloatTimeDomainData(this.#wave);
      const power = this.#wave.reduce((sum, value) => sum + value * value, 0) / this.#wave.length;
      this.values.fill(level(10 * Math.log10(Math.max(power, 1e-12))));
      return;
    }
    this.#analyser.getFloatFrequencyData(this.#spectrum);
    const bands = bandsOf(this.#spectrum, this.#audio.sampleRate, Math.min(MAX_BANDS, this.values.length));
    this.values.forEach((_, neuron) => (this.values[neuron] = bands[Math.floor((neuron * bands.length) / this.values.length)]!));
  }
}

/** The loudest component of each of `count` bands between 80 Hz and 8 kHz with a constant ratio of frequencies, from 0 to 1. */
export function bandsOf(decibels: Float32Array, sampleRate: number, count: number): Float32Array {
  const perBin = sampleRate / (2 * decibels.length);
  const bin = (band: number) => (LOWEST * (HIGHEST / LOWEST) ** (band / count)) / perBin;
  return Float32Array.from({ length: count }, (_, band) => {
    // At low frequencies a band can be narrower than a component.
    const first = Math.round(bin(band));
    const end = Math.max(first + 1, Math.round(bin(band + 1)));
    let most = -Infinity;
    for (let at = first; at < Math.min(end, decibels.length); at += 1) most = Math.max(most, decibels[at]!);
    return level(most);
  });
}

/** A level in dB as a number from 0 to 1. */
function level(decibels: number): number {
  return Math.min(1, Math.max(0, (decibels - QUIET) / (LOUD - QUIET)));
}
