import { Spikelet } from "spikelet";

const said = document.getElementById("said");
const simulation = await Spikelet.create("cobahh", { backend: "cpu", worker: new URL("spikelet/js/worker.js", document.baseURI) });
let spikes = 0;
simulation.on("spikes", ({ neurons }) => (spikes += neurons.length));
await simulation.run(50);
const { backend } = simulation.info;
const notes = simulation.notices.map(({ message }) => message);
said.textContent = `${spikes} spikes in 50 ms on ${backend.threads} threads. ${notes.join(" ")}`;
