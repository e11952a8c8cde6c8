/**
 * Live input for a simulation, from camera, microphone, text and mouse. Nothing is stored; the browser asks the user before a device starts.
 *
 * ```js
 * import { Camera, Drive } from "spikelet/senses";
 *
 * button.onclick = async () => {
 *   const drive = await Drive.start(simulation, "Input.I", new Camera(), { gain: 2, offset: 0 });
 *   stop.onclick = () => drive.stop();
 * };
 * ```
 *
 * @module senses
 */
export { Camera } from "./senses/camera.js";
export { Drive, type SenseScale, type SenseTarget, targetsOf } from "./senses/drive.js";
export { gridOf } from "./senses/grid.js";
export { Microphone } from "./senses/microphone.js";
export { Mouse } from "./senses/mouse.js";
export type { Sense, SenseGrid } from "./senses/sense.js";
export { CHARACTERS, TextSense } from "./senses/text.js";
