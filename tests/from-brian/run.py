"""Runs eleven models in Brian 2 and in Spikelet, and prints whether they agree.

    pip install brian2==2.9.0
    cargo build --release -p spikelet-cli
    python tests/from-brian/run.py                       # all models; names on the command line select some
    python tests/from-brian/run.py --update              # also writes what Brian 2 found, for the tests in Rust

The files NAME.json are networks; NAME.brian.json says what is compared and has the numbers of Brian 2."""

import argparse
import importlib.metadata
import json
import math
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import brian2
import numpy as np

import models

HERE = Path(__file__).parent
# Standard errors by which two means may differ.
ERRORS = 4


def spikelet(program, name, seed):
    """Spikes and samples of a run of the network on the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", str(HERE / f"{name}.json"), "--backend", "cpu", "--seed", str(seed), "--out", folder, "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found = models.Found()
        spikes = np.load(Path(folder) / "spikes.npz")
        for index, population in enumerate(spikes["population_names"]):
            here = spikes["population"] == index
            order = np.lexsort((spikes["neuron"][here], spikes["step"][here]))
            found.spikes[str(population)] = (spikes["neuron"][here][order].astype(int), spikes["step"][here][order].astype(int))
        if (Path(folder) / "traces.npz").exists():
            traces = np.load(Path(folder) / "traces.npz")
            for channel, values in zip(traces["channels"], traces["values"].T):
                found.samples[str(channel).split(" (")[0]] = values
        return found


def rate(found, measure):
    """Spikes per second and neuron of a group of neurons in a window."""
    first, end = measure["neurons"]
    neurons, steps = found.spikes.get(measure["population"], (np.array([]), np.array([])))
    times = steps * measure["dt_ms"]
    inside = (neurons >= first) & (neurons < end) & (times >= measure["from_ms"] - 1e-9) & (times < measure["to_ms"] - 1e-9)
    return int(inside.sum()) / (end - first) / (measure["to_ms"] - measure["from_ms"]) * 1000


def write(path, reference):
    """JSON with a line for each list."""
    text = json.dumps(reference, indent=1)
    path.write_text(re.sub(r"\[[^\[\]{}]*\]", lambda numbers: " ".join(numbers.group().split()).replace("[ ", "[").replace(" ]", "]"), text) + "\n")


def near(reference, found):
    """The lines that tell how two deterministic runs agree."""
    for population, listed in reference.get("spikes", {}).items():
        ours, theirs = found.spikes.get(population), (np.array(listed["neurons"]), np.array(listed["steps"]))
        same = ours is not None and np.array_equal(ours[0], theirs[0]) and np.array_equal(ours[1], theirs[1])
        yield f"spikes of {population}", f"{len(theirs[0])} spikes", "the same" if same else f"{0 if ours is None else len(ours[0])} spikes", same
    steps = reference.get("at_steps", [])
    for channel, listed in reference.get("samples", {}).items():
        values, theirs = found.samples[channel][steps], np.array(listed["values"])
        off = float(np.max(np.abs(values - theirs)))
        yield channel, f"{theirs.min():.4g} to {theirs.max():.4g}", f"off by {off:.1e} of {listed['within']:.0e}", off <= listed["within"]


def means(reference, of_brian, of_spikelet):
    """The lines that tell how means over seeds agree."""
    for label, measure in reference.get("rates_hz", {}).items():
        theirs, ours = [rate(run, measure) for run in of_brian], [rate(run, measure) for run in of_spikelet]
        # Of both together, since each has few seeds.
        variance = (np.var(theirs, ddof=1) + np.var(ours, ddof=1)) / 2
        within = ERRORS * math.sqrt(variance * (1 / len(theirs) + 1 / len(ours)))
        off = abs(np.mean(theirs) - np.mean(ours))
        measure["mean"], measure["sd"], measure["seeds"] = round(float(np.mean(theirs)), 5), round(math.sqrt(variance), 5), len(theirs)
        yield label, f"{np.mean(theirs):.3f} Hz", f"{np.mean(ours):.3f} Hz, may differ by {within:.3f}", off <= within


def compare(name, arguments):
    """Runs a model in both, prints the comparison, and returns whether they agree."""
    network = json.loads((HERE / f"{name}.json").read_text())
    path = HERE / f"{name}.brian.json"
    reference = json.loads(path.read_text())
    for measure in reference.get("rates_hz", {}).values():
        measure["dt_ms"] = network["dt_ms"]
    seeds = range(1, arguments.seeds + 1) if "rates_hz" in reference else [1]
    began = time.monotonic()
    of_brian = [getattr(models, name)(seed, network) for seed in seeds]
    between = time.monotonic()
    of_spikelet = [spikelet(arguments.spikelet, name, seed) for seed in seeds]
    ended = time.monotonic()
    found = of_brian[0]
    if arguments.update:
        reference["brian2"] = importlib.metadata.version("brian2")
        for population, listed in reference.get("spikes", {}).items():
            neurons, steps = found.spikes[population]
            listed["neurons"], listed["steps"] = neurons.tolist(), steps.tolist()
        for channel, listed in reference.get("samples", {}).items():
            listed["values"] = [float(f"{value:.9g}") for value in found.samples[channel][reference["at_steps"]]]
    else:
        # What Brian 2 finds today is compared, not what is stored.
        for population, listed in reference.get("spikes", {}).items():
            listed["neurons"], listed["steps"] = (of.tolist() for of in found.spikes[population])
        for channel, listed in reference.get("samples", {}).items():
            listed["values"] = found.samples[channel][reference["at_steps"]].tolist()
    lines = [*near(reference, of_spikelet[0]), *means(reference, of_brian, of_spikelet)]
    print(f"{name}: Brian 2 {between - began:.1f} s, Spikelet {ended - between:.1f} s, {len(seeds)} seed{'s' if len(seeds) > 1 else ''}")
    for what, theirs, ours, agree in lines:
        print(f"  {'agree ' if agree else 'DIFFER'}  {what:42} {theirs:28} {ours}")
    if arguments.update:
        for measure in reference.get("rates_hz", {}).values():
            del measure["dt_ms"]
        write(path, reference)
    return all(agree for *_, agree in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="models; default: all")
    parser.add_argument("--spikelet", default=str(HERE.parents[1] / "target/release/spikelet"), help="the program (default: target/release/spikelet)")
    parser.add_argument("--seeds", type=int, default=5, help="runs of models with noise (default: 5)")
    parser.add_argument("--codegen", default="numpy", choices=["numpy", "cython"], help="how Brian 2 runs: cython needs a compiler (default: numpy)")
    parser.add_argument("--update", action="store_true", help="write the numbers of Brian 2")
    arguments = parser.parse_args()
    brian2.prefs.codegen.target = arguments.codegen
    names = arguments.names or sorted(path.name.removesuffix(".brian.json") for path in HERE.glob("*.brian.json"))
    differ = [name for name in names if not compare(name, arguments)]
    print(f"Brian {brian2.__version__}: {len(names) - len(differ)} of {len(names)} models agree" + (f"; not {', '.join(differ)}" if differ else ""))
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
