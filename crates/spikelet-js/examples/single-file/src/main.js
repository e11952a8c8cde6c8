import { Spikelet } from "spikelet";

/** The bytes of an element of the page. */
const bytes = (id) => Uint8Array.from(atob(document.getElementById(id).textContent), (sign) => sign.charCodeAt(0));

Spikelet.provide({ st: await WebAssembly.compile(bytes("engine")) });
const script = URL.createObjectURL(new Blob([bytes("worker")], { type: "text/javascript" }));

const simulation = await Spikelet.create("cobahh", { worker: () => new Worker(script), threads: 1 });
let spikes = 0;
simulation.on("spikes", ({ neurons }) => (spikes += neurons.length));
await simulation.run(50);
document.body.append(`${spikes} spikes on ${simulation.info.backend.name}, hash ${simulation.spikesHash}`);
