// Runs the operations of the probe on the GPU that networks use.

import { type OperationLine } from "./lines.js";
import { OPERATIONS, type Operands, type Operation, casesOf, judge } from "./operations.js";
import { PROBE } from "./probe-text.js";

/** Words before the cases of a request. */
const HEAD = 4;
/** Invocations of a workgroup. */
const GROUP = 64;

/** Uses of buffers and modes of reading: constants of WebGPU, which scripts outside of a page may lack. */
const [MAP_READ, COPY_SRC, COPY_DST, STORAGE] = [0x1, 0x4, 0x8, 0x80];
const READ = 0x1;

/** The adapter that the engine chooses. Null if there is none. */
export async function adapterOf(gpu: GPU | undefined): Promise<GPUAdapter | null> {
  return (await gpu?.requestAdapter({ powerPreference: "high-performance" })) ?? null;
}

/**
 * Compares the operations of a GPU with those of IEEE 754, bit by bit.
 *
 * @throws An error of the GPU: it rejects the shader, or is lost.
 */
export async function probe(adapter: GPUAdapter, signal: AbortSignal | undefined, found: (line: OperationLine) => void): Promise<void> {
  const device = await adapter.requestDevice();
  try {
    const module = device.createShaderModule({ code: PROBE });
    const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "probe" } });
    for (const operation of OPERATIONS) {
      signal?.throwIfAborted();
      const cases = casesOf(operation);
      found(judge(operation, cases, await results(device, pipeline, operation, cases)));
    }
  } finally {
    device.destroy();
  }
}

/** What the device computes. */
async function results(device: GPUDevice, pipeline: GPUComputePipeline, { number }: Operation, cases: readonly Operands[]): Promise<Uint32Array> {
  const request = Uint32Array.of(number, cases.length, 0, 0, ...cases.flat());
  const bytes = cases.length * 4;
  const buffer = (size: number, usage: number) => device.createBuffer({ size, usage });
  const buffers = [buffer((HEAD + 3 * cases.length) * 4, STORAGE | COPY_DST), buffer(bytes, STORAGE | COPY_SRC), buffer(bytes, MAP_READ | COPY_DST)] as const;
  const [asked, answered, read] = buffers;
  try {
    device.queue.writeBuffer(asked, 0, request);
    const entries = [asked, answered].map((one, binding) => ({ binding, resource: { buffer: one } }));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.ceil(cases.length / GROUP));
    pass.end();
    encoder.copyBufferToBuffer(answered, 0, read, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(READ);
    return new Uint32Array(read.getMappedRange().slice(0));
  } finally {
    for (const one of buffers) one.destroy();
  }
}
