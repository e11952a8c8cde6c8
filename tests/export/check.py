"""Exports networks as scripts for another simulator, runs them there, and compares the spikes with those of Spikelet in f64.

    pip install brian2==2.9.0          # with numpy below 2.3
    pip install nest-simulator pynn    # in another environment
    cargo build --release -p spikelet-cli
    python tests/export/check.py brian2|nest|pynn [target/release/spikelet]
"""

import contextlib
import io
import json
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
# Networks that have the same law there, and not the same spikes: their scale, the duration in ms, and the largest relative difference of numbers.
LAW = [
    ("coba", 0.5, 500, 0.1),
    ("brunel_ai", 0.1, 500, 0.05),
    ("pd14", 0.05, 500, 0.1),
    ("tests/export/delta.json", None, None, 0.02),
    ("tests/export/adaptive.json", None, None, 0.05),
]
# Networks, their scale, and the duration in ms in which all spikes are the same.
SAME = {
    "brian2": [("cuba", 0.2, 200), ("coba", 0.2, 100), ("cobahh", 0.1, 50), ("plastic_cuba", 0.05, 200), ("istdp_balance", 0.2, 100)],
    "nest": [("cuba", 0.2, 200), ("tests/export/currents.json",), ("pd14_dc", 0.1, 200)],
    "pynn": [("cuba", 0.2, 200), ("pd14_dc", 0.1, 200)],
}
ALIKE = {
    "brian2": [],
    "nest": LAW,
    "pynn": LAW,
}
CIRCUITS = ["iaf_psc_alpha", "iaf_psc_exp", "iaf_psc_delta", "iaf_cond_exp", "izhikevich"]
# NEST integrates conductances with an adaptive step, so that a few spikes differ by a step.
CONDUCTANCE = {"iaf_cond_exp"}


def of_brian2(names, dt):
    for name, monitor in names["spikes"].items():
        steps = np.round(np.asarray(monitor.t) / (dt / 1000)).astype(int)
        yield from ((name, int(neuron), int(step)) for neuron, step in zip(monitor.i, steps))


def of_nest(names, dt):
    for name, recorder in names["spikes"].items():
        neurons = recorder.events["senders"] - names["ids"][name][0]
        steps = np.round(recorder.events["times"] / dt).astype(int) - 1
        yield from ((name, int(neuron), int(step)) for neuron, step in zip(neurons, steps))


def of_pynn(names, dt):
    for name, trains in names["spikes"].items():
        for train in trains:
            steps = np.round(train.rescale("ms").magnitude / dt).astype(int) - 1
            yield from ((name, train.annotations["source_index"], int(step)) for step in steps)


def there(tool, folder, dt):
    """Runs the script, and returns its spikes."""
    if tool == "brian2":
        import brian2

        brian2.start_scope()
    sys.argv = ["network.py"]
    with contextlib.redirect_stdout(io.StringIO()):
        names = runpy.run_path(str(folder / "network.py"))
    return set({"brian2": of_brian2, "nest": of_nest, "pynn": of_pynn}[tool](names, dt))


def here(folder):
    arrays = np.load(folder / "spikes.npz")
    names = [str(name) for name in arrays["population_names"]]
    return {(names[p], int(n), int(s)) for p, n, s in zip(arrays["population"], arrays["neuron"], arrays["step"])}


RUN = {"brian2": ("network.run(", "*ms)"), "nest": ("nest.Simulate(", ")"), "pynn": ("sim.run(", ")")}


def compare(tool, program, folder, network, scale=None, duration=None, alike=None):
    name = Path(str(network)).stem
    folder = folder / name
    words = ["--scale", str(scale)] if scale else []
    exported = [program, "export", network, "--format", tool, "--out", folder, *words]
    subprocess.run(exported, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    words += ["--time", str(duration)] if duration else []
    subprocess.run([program, "run", network, "--precision", "f64", "--quiet", "--out", folder / "run", *words], check=True)
    script = folder / "network.py"
    if duration:
        start, end = RUN[tool]
        text = script.read_text()
        at = text.index(start)
        script.write_text(text[:at] + f"{start}{duration}{end}" + text[text.index("\n", at) :])
    description = json.loads((folder / "run" / "network.json").read_text())
    # Not of sources, which some simulators do not record, or at another time.
    names = {population["name"] for population in description["populations"]}
    found = {spike for spike in there(tool, folder, description["dt_ms"]) if spike[0] in names}
    own = {spike for spike in here(folder / "run") if spike[0] in names}
    print(f"{name}: {len(own)} spikes, {len(found)} in {tool}, {len(own & found)} the same")
    if alike:
        return len(own) > 0 and abs(len(found) / len(own) - 1) <= alike
    return own == found and len(own) > 0


def main(tool, program="target/release/spikelet"):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        results = [compare(tool, program, folder, *row) for row in SAME[tool] + ALIKE[tool]]
        for name in CIRCUITS:
            network = folder / f"{name}.json"
            config = ROOT / "tests" / "sonata" / name / "config.json"
            subprocess.run([program, "import", config, "--out", network], check=True, stderr=subprocess.DEVNULL)
            alike = 0.01 if tool != "brian2" and name in CONDUCTANCE else None
            results.append(compare(tool, program, folder, network, alike=alike))
    assert all(results), "spikes differ"


main(*sys.argv[1:])
