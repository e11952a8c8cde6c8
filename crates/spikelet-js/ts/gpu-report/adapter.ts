// What a browser reports of the machine and its GPU.

import type { Device, Devices } from "../raw.js";
import type { AdapterLine, MachineLine } from "./lines.js";

/** The used part of what Chromium reports beside the user agent. */
interface UserAgentData {
  readonly platform?: string;
}

/** The machine. */
export function machineLine(): MachineLine {
  const navigator = (globalThis as { navigator?: Navigator & { userAgentData?: UserAgentData } }).navigator;
  const system = navigator?.userAgentData?.platform;
  return {
    kind: "machine",
    ...(system && { system }),
    ...(navigator?.hardwareConcurrency && { threads: navigator.hardwareConcurrency }),
    ...(navigator?.userAgent && { browser: navigator.userAgent }),
  };
}

/** The GPU of networks: what the engine reports of it, and all features and limits of the adapter. */
export function adapterLine(device: Device, { info, features, limits }: Pick<GPUAdapter, "info" | "features" | "limits">): AdapterLine {
  const driver = device.facts.find(({ what }) => what === "Driver")?.much;
  // Limits are getters of the prototype.
  const numbers: Record<string, number> = {};
  for (const name in limits) {
    const value: unknown = limits[name as keyof GPUSupportedLimits];
    if (typeof value === "number") numbers[inWords(name)] = value;
  }
  return {
    kind: "adapter",
    name: device.name,
    ...(info.vendor && { vendor: info.vendor }),
    ...(info.architecture && { architecture: info.architecture }),
    backend: "webgpu",
    ...(driver && driver !== device.name && { driver }),
    ...(device.software && { type: "software" }),
    features: [...features].sort(),
    limits: numbers,
  };
}

/** The name of a limit as the command line writes it: `max_buffer_size` for `maxBufferSize`. */
function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Why there is no GPU, and what to do, as sentences. */
export function withoutGpu({ noGpuBecause }: Pick<Devices, "noGpuBecause">): string {
  const because = noGpuBecause === null ? "" : ` (${noGpuBecause.replace(/\.$/, "")})`;
  return (
    `This browser offers no GPU${because}. WebGPU is on by default in Chrome and Edge 113 or newer, Safari 26 and Firefox 141 on Windows. ` +
    "In Chrome on Linux, start it with --enable-unsafe-webgpu --enable-features=Vulkan, or switch on chrome://flags/#enable-unsafe-webgpu. " +
    "The page must be served over https:// or from localhost, and hardware acceleration must be on in the settings of the browser."
  );
}
