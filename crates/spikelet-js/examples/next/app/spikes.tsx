"use client";

import { useEffect, useState } from "react";
import type { Spikelet } from "spikelet";

/** What a network did in 50 ms, and why it has only one thread, if so. */
async function run(simulation: Spikelet): Promise<string> {
  let spikes = 0;
  for await (const { neurons } of simulation.stream({ ms: 50 })) spikes += neurons.length;
  const notes = simulation.notices.map(({ message }) => message);
  return `${spikes} spikes in 50 ms on ${simulation.info.backend.threads} threads. ${notes.join(" ")}`;
}

export function Spikes() {
  const [said, setSaid] = useState("");
  useEffect(() => {
    // React runs an effect twice while one develops: what a simulation says that is disposed of does not count.
    let isShown = true;
    // Loaded in the browser alone, because it starts Workers.
    const created = import("spikelet").then(({ Spikelet }) => Spikelet.create("cobahh", { backend: "cpu" }));
    created.then(run).then((sentence) => isShown && setSaid(sentence), ({ message }) => isShown && setSaid(message));
    return () => {
      isShown = false;
      created.then((simulation) => simulation.dispose(), () => {});
    };
  }, []);
  return <output id="said">{said}</output>;
}
