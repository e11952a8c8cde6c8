// A network in Node: prints mean rates and writes a raster of its spikes as a small picture. `npm install`, then
// `node script.mjs [network [ms [picture.svg]]]`; the network is a built-in one or a JSON file.

import { writeFile } from "node:fs/promises";
import { Spikelet } from "spikelet";

const [network = "cuba", ms = "500", picture = "raster.svg"] = process.argv.slice(2);
const [WIDTH, HEIGHT] = [480, 240];
const COLOURS = ["#1f5fc4", "#c2410c", "#720346", "#2d99e1", "#152e93", "#fb6060"];

const simulation = await Spikelet.create(network);
const { populations } = simulation.info.network;
const counts = populations.map(() => 0);
const dots = populations.map(() => []);
simulation.on("spikes", ({ neurons, spikeSteps, dtMs }) => {
  neurons.forEach((neuron, k) => {
    const place = populations.findLastIndex(({ first }) => first <= neuron);
    counts[place] += 1;
    const [x, y] = [((spikeSteps[k] * dtMs) / Number(ms)) * WIDTH, (neuron / simulation.info.neurons) * HEIGHT];
    dots[place].push(`M${x.toFixed(1)} ${y.toFixed(1)}h1`);
  });
});

const { timeMs } = await simulation.run(Number(ms));
console.log(`${simulation.info.network.name}: ${timeMs} ms on ${simulation.info.backend.name}`);
populations.forEach(({ name, size }, place) => {
  console.log(`${name}: ${size} neurons, ${counts[place]} spikes, mean rate ${((counts[place] / size / timeMs) * 1000).toFixed(2)} Hz`);
});

const paths = dots.map((of, place) => `<path stroke="${COLOURS[place % COLOURS.length]}" d="${of.join("")}"/>`);
const title = `<title>Spikes of ${simulation.info.neurons} neurons in ${timeMs} ms</title>`;
await writeFile(picture, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">${title}${paths.join("")}</svg>\n`);
console.log(`raster written to ${picture}`);
simulation.dispose();
