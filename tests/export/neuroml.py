"""Exports networks as files of LEMS, runs them with jNeuroML, and compares the spikes with those of Spikelet in f64.

    pip install pyneuroml    # it has jNeuroML, which needs Java
    cargo build --release -p spikelet-cli
    python tests/export/neuroml.py [target/release/spikelet]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyneuroml

ROOT = Path(__file__).parents[2]
# Networks, and by how many steps spikes may differ: spikes of postsynaptic neurons reach their synapses a step later in jNeuroML.
NETWORKS = [("events", 0), ("graded", 0), ("plastic", 10)]
JAR = next((Path(pyneuroml.__file__).parent / "lib").glob("jNeuroML-*-jar-with-dependencies.jar"))


def spikes(folder, names):
    arrays = np.load(folder / "spikes.npz")
    populations = [str(name) for name in arrays["population_names"]]
    all_spikes = zip(arrays["population"], arrays["neuron"], arrays["step"])
    return {(populations[p], int(n), int(s)) for p, n, s in all_spikes if populations[p] in names}


def spikes_of_jneuroml(folder, dt):
    subprocess.run(["java", "-cp", JAR, "org.neuroml.JNeuroML", "network.xml", "-nogui"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    found = set()
    for file in folder.glob("*.spikes"):
        for line in file.read_text().splitlines():
            neuron, seconds = line.split()
            # The time of a spike is that of the end of its step.
            found.add((file.stem, int(neuron), round(float(seconds) * 1000 / dt) - 1))
    return found


def trains(found):
    by_neuron = {}
    for population, neuron, step in sorted(found):
        by_neuron.setdefault((population, neuron), []).append(step)
    return by_neuron


def largest_difference(here, there):
    here, there = trains(here), trains(there)
    if {neuron: len(train) for neuron, train in here.items()} != {neuron: len(train) for neuron, train in there.items()}:
        return np.inf
    return max(np.abs(np.subtract(train, there[neuron])).max() for neuron, train in here.items())


def compare(program, folder, name, most):
    network = ROOT / "tests" / "export" / f"{name}.json"
    folder = folder / name
    subprocess.run([program, "export", network, "--format", "neuroml", "--out", folder], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "run", network, "--precision", "f64", "--quiet", "--out", folder / "run"], check=True)
    there = spikes_of_jneuroml(folder, 0.1)
    here = spikes(folder / "run", {file.stem for file in folder.glob("*.spikes")})
    steps = largest_difference(here, there)
    print(f"{name}: {len(here)} spikes, {len(there)} in jNeuroML, {len(here & there)} the same, others by at most {steps} steps")
    return len(here) > 0 and steps <= most


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(program, Path(folder), *of) for of in NETWORKS]
    assert all(results), "spikes differ"


main(*(sys.argv[1:] or ["target/release/spikelet"]))
