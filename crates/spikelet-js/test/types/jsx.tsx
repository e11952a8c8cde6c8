// The elements in JSX, with types of React that have the shape of those of version 19.

import type {} from "spikelet/jsx";

export function Figure() {
  return (
    <main>
      <spikelet-network
        key="a" className="wide" src="cuba" plots="raster" autoplay speed={0.1} options={{ files: {} }}
        onready={({ detail: { simulation } }) => void simulation.run(10)}
        onstatechange={({ detail: { state } }) => void (state satisfies "idle" | "building" | "paused" | "running" | "ended" | "failed")}
      />
      <spikelet-assemblies view="parser" />
      <spikelet-gpu-report seconds={30} ondone={({ detail: { report } }) => void report.text.length} />
      <spikelet-training preset="yin-yang" onopen={({ detail: { json } }) => void json.length} />
      <spikelet-experiments simulation={null} />
      <spikelet-senses simulation={null} />
      {/* @ts-expect-error There is no such device. */}
      <spikelet-network backend="tpu" />
      {/* @ts-expect-error There is no such attribute. */}
      <spikelet-network source="cuba" />
    </main>
  );
}
