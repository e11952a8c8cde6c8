import { SpikeletError } from "../errors.js";

const WAYS_OUT: Readonly<Record<string, (device: string) => string>> = {
  NotAllowedError: (device) => `the ${device} is blocked for this page; allow it in the address bar or the settings of the browser, then start it again`,
  NotFoundError: (device) => `there is no ${device}; connect one, then start it again`,
  NotReadableError: (device) => `the ${device} cannot be read, probably because another program uses it; close that program, then start it again`,
};

/** Asks for a device of the user. */
export async function ask(device: "camera" | "microphone", constraints: MediaStreamConstraints): Promise<MediaStream> {
  const devices = (navigator as { mediaDevices?: MediaDevices }).mediaDevices;
  if (!devices) throw new SpikeletError("argument", `a page can use the ${device} only if it is served by https, or from this computer (localhost)`, device);
  try {
    return await devices.getUserMedia(constraints);
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    const text = WAYS_OUT[name]?.(device) ?? `the ${device} could not be started (${String(error)}); check it in another program`;
    throw new SpikeletError("argument", text, device);
  }
}
