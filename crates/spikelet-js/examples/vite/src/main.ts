// The API in TypeScript: `npm install`, then `npm run dev`, or `npm run build && npm run preview`.

import { type Rates, Spikelet, SpikeletError } from "spikelet";

const COLOURS = ["#1f5fc4", "#c2410c"];

function find<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`there is no ${selector}`);
  return found;
}

const said = find("#said", HTMLElement);
const again = find("#again", HTMLButtonElement);
const slider = find("#taum", HTMLInputElement);
const value = find("#value", HTMLOutputElement);
const canvas = find("#rates", HTMLCanvasElement);
const pen = canvas.getContext("2d")!;

/** Draws the completed bins: 0 to 20 Hz from bottom to top, one second from left to right. */
function draw({ populations, bins, binMs, timeMs, values }: Rates): void {
  populations.forEach((_, column) => {
    pen.fillStyle = COLOURS[column % COLOURS.length] ?? "black";
    for (let bin = 0; bin < bins; bin += 1) {
      const rate = values[bin * populations.length + column] ?? 0;
      const x = ((timeMs + bin * binMs) % 1000) * (canvas.width / 1000);
      pen.fillRect(x, canvas.height * (1 - rate / 20), 4, 3);
    }
  });
}

try {
  const simulation = await Spikelet.create("cuba", {
    seed: 1,
    onProgress: ({ stage, done }) => (said.textContent = `${stage} ${Math.round(100 * done)} %`),
  });
  const notes = simulation.notices.map(({ message }) => message);
  simulation.on("rates", draw);
  simulation.on("error", (error) => (said.textContent = error.message));

  slider.addEventListener("input", async () => {
    const { values, unit } = await simulation.set("E.taum", `${slider.value} ms`);
    value.textContent = `${values[0]} ${unit}`;
  });

  let spikes = 0;
  simulation.on("spikes", ({ neurons }) => (spikes += neurons.length));
  await simulation.run(200);
  const moment = await simulation.snapshot();
  spikes = 0;
  await simulation.run(300);
  const { values: taum, unit } = await simulation.get("E.taum");
  said.textContent = `${spikes} spikes in 300 ms with E.taum = ${taum[0]} ${unit}. ${notes.join(" ")}`;

  again.disabled = false;
  again.addEventListener("click", async () => {
    await simulation.restore(moment);
    spikes = 0;
    const { timeMs } = await simulation.run(300);
    said.textContent = `${spikes} spikes up to ${timeMs} ms`;
  });
} catch (error) {
  if (!(error instanceof SpikeletError)) throw error;
  said.textContent = `${error.code}: ${error.message}`;
}
