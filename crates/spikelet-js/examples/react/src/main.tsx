import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Spikelet } from "spikelet";
import type {} from "spikelet/jsx";
import "spikelet/element";

function Spikes() {
  const [count, setCount] = useState(0);
  const [threads, setThreads] = useState<string>();
  useEffect(() => {
    setCount(0);
    const created = Spikelet.create("cobahh", { backend: "cpu" });
    created.then(async (simulation) => {
      simulation.on("spikes", ({ neurons }) => setCount((before) => before + neurons.length));
      await simulation.run(50);
      const notes = simulation.notices.map(({ message }) => message);
      setThreads(`${simulation.info.backend.threads} threads. ${notes.join(" ")}`);
    }).catch(({ code, message }) => code !== "disposed" && setThreads(message));
    return () => void created.then((simulation) => simulation.dispose(), () => {});
  }, []);
  return <output id="said">{threads && `${count} spikes in 50 ms on ${threads}`}</output>;
}

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Spikes />
      <spikelet-network src="cuba" scale="0.1" plots="raster rates" />
    </StrictMode>,
  );
}
