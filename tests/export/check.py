"""Exports networks as scripts for Brian 2, runs them there, and compares the spikes with those of Spikelet in f64.

    pip install brian2==2.9.0
    cargo build --release -p spikelet-cli
    python tests/export/check.py [target/release/spikelet]
"""

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import brian2
import numpy as np

ROOT = Path(__file__).parents[2]
# Networks, their scale, and the duration in ms in which all spikes are the same.
SAME = [("cuba", 0.2, 200), ("coba", 0.2, 100), ("cobahh", 0.1, 50), ("plastic_cuba", 0.05, 200), ("istdp_balance", 0.2, 100)]
CIRCUITS = ["iaf_psc_alpha", "iaf_psc_exp", "iaf_psc_delta", "iaf_cond_exp", "izhikevich"]


def spikes_of_brian(folder):
    brian2.start_scope()
    names = runpy.run_path(str(folder / "network.py"))
    dt = float(names["defaultclock"].dt)
    found = set()
    for name, monitor in names["spikes"].items():
        steps = np.round(np.asarray(monitor.t) / dt).astype(int)
        found.update((name, int(neuron), int(step)) for neuron, step in zip(monitor.i, steps))
    return found


def spikes(folder):
    arrays = np.load(folder / "spikes.npz")
    names = [str(name) for name in arrays["population_names"]]
    return {(names[p], int(n), int(s)) for p, n, s in zip(arrays["population"], arrays["neuron"], arrays["step"])}


def compare(program, folder, name, network, *words):
    folder = folder / name
    subprocess.run([program, "export", network, "--format", "brian2", "--out", folder, *words[:2]], check=True, stdout=subprocess.DEVNULL)
    run = [program, "run", network, "--precision", "f64", "--quiet", "--out", folder / "run", *words]
    subprocess.run(run, check=True)
    script = folder / "network.py"
    if "--time" in words:
        text = script.read_text()
        start = text.index("network.run(")
        script.write_text(text[:start] + f"network.run({words[-1]}*ms)" + text[text.index("\n", start):])
    here, there = spikes(folder / "run"), spikes_of_brian(folder)
    print(f"{name}: {len(here)} spikes, {len(there)} in Brian 2, {len(here & there)} the same")
    return here == there and len(here) > 0


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        results = [
            compare(program, folder, name, name, "--scale", str(scale), "--time", str(duration)) for name, scale, duration in SAME
        ]
        for name in CIRCUITS:
            network = folder / f"{name}.json"
            config = ROOT / "tests" / "sonata" / name / "config.json"
            subprocess.run([program, "import", config, "--out", network], check=True, stderr=subprocess.DEVNULL)
            results.append(compare(program, folder, name, network))
    assert all(results), "spikes differ"


main(*(sys.argv[1:] or ["target/release/spikelet"]))
