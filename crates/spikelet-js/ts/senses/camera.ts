import { SpikeletError } from "../errors.js";
import { ask } from "./device.js";
import type { Sense, SenseGrid } from "./sense.js";

/** The brightness of the picture of the camera, mirrored as in a mirror. */
export class Camera implements Sense {
  readonly name = "camera";
  values = new Float32Array(0);
  #grid: SenseGrid | null = null;
  #stream: MediaStream | null = null;
  readonly #video = document.createElement("video");
  readonly #pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;

  async start(grid: SenseGrid): Promise<void> {
    this.#grid = grid;
    this.values = new Float32Array(grid.pixels.length);
    [this.#pen.canvas.width, this.#pen.canvas.height] = [grid.columns, grid.rows];
    this.#stream = await ask("camera", { video: { width: { ideal: 320 }, height: { ideal: 240 }, frameRate: { ideal: 30 } } });
    this.#video.muted = true;
    this.#video.playsInline = true;
    this.#video.srcObject = this.#stream;
    try {
      await this.#video.play();
    } catch (error) {
      this.stop();
      throw new SpikeletError("argument", `the picture of the camera could not be shown (${String(error)}); start it again`, "camera");
    }
  }

  stop(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = null;
    this.#video.srcObject = null;
  }

  sample(): void {
    const { videoWidth, videoHeight } = this.#video;
    if (!this.#grid || videoWidth === 0) return;
    const { columns, rows, pixels } = this.#grid;
    // The middle of the picture in the proportions of the grid.
    const scale = Math.min(videoWidth / columns, videoHeight / rows);
    const [width, height] = [columns * scale, rows * scale];
    this.#pen.setTransform(-1, 0, 0, 1, columns, 0);
    this.#pen.drawImage(this.#video, (videoWidth - width) / 2, (videoHeight - height) / 2, width, height, 0, 0, columns, rows);
    brightness(this.#pen.getImageData(0, 0, columns, rows).data, pixels, this.values);
  }
}

/** The luma (Rec. 709) of the pixel of each neuron, from 0 to 1. */
export function brightness(rgba: Uint8ClampedArray, pixels: Uint32Array, values: Float32Array): void {
  pixels.forEach((pixel, neuron) => {
    values[neuron] = (0.2126 * rgba[pixel * 4]! + 0.7152 * rgba[pixel * 4 + 1]! + 0.0722 * rgba[pixel * 4 + 2]!) / 255;
  });
}
