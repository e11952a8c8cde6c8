"""Exports networks as scripts for Brian 2, runs the scripts there, and compares spikes and final values with those of Spikelet in f64.

    python tests/brian_exports.py               # all models of the library, networks of the catalogue, and of tests/networks
    python tests/brian_exports.py lif stdp_song # some of them

What Brian 2 lacks must be an error of the export that names it. A script that Brian 2 cannot run is an error, and so are other values, if the
network draws no random numbers during its run."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import tomllib

HERE = Path(__file__).resolve()
ROOT = HERE.parents[3]
MODELS = ROOT / "crates/spikelet-lang/models"
#: Networks of the catalogue, with their scale and their length in ms: those that Brian 2 builds in seconds.
CATALOGUE: dict[str, tuple[float, float]] = {
    "cuba": (0.05, 20), "coba": (0.05, 20), "cobahh": (0.05, 5), "izhikevich": (0.1, 20), "brunel_ai": (0.05, 5), "ping": (0.2, 20),
    "synfire": (0.2, 20), "ring": (0.2, 10), "decision": (0.05, 5), "waves": (0.1, 10), "stdp_song": (1, 20), "stdp_window": (1, 20),
    "plastic_cuba": (0.02, 20), "istdp_balance": (0.05, 10), "bcm_selectivity": (1, 20), "rstdp_reward": (1, 20),
    "spike_pattern": (1, 5), "pd14_dc": (0.01, 5), "lixirnet": (0.02, 10), "guide_ei": (0.02, 10),
}  # fmt: skip
#: Differences that come from the order of sums, which grow from step to step.
WITHIN = 1e-6


def of_models() -> dict[str, dict[str, Any]]:
    """A small network for each model of the library."""
    networks = {}
    for path in sorted(MODELS.glob("*.toml")):
        model, name = tomllib.loads(path.read_text()), path.stem
        network: dict[str, Any] = {"name": name, "dt_ms": 0.1, "duration_ms": 30}
        if model.get("kind") == "synapse":
            cell = {
                "equations": "dv/dt = (I_0 - v + I_syn/(10*nS))/(10*ms) : volt",
                "threshold": "v > 10*mV",
                "reset": "v = 0*mV",
            }
            post = model.get("post", "")
            names = {key for key in model["parameters"] if re.search(rf"\b{key}\b", post)}
            if "I_syn" not in re.findall(r"^\s*(\w+)", post, re.MULTILINE):
                post += "\nI_syn = 0*pA : amp"
            a, b = (
                {**cell, "name": of, "size": 2, "parameters": {"I_0": drive}} for of, drive in (("a", "15 mV"), ("b", "12 mV"))
            )
            a["equations"] += "\nI_syn = 0*pA : amp\nI = 3*pA : amp" if "I_pre" in model["equations"] else "\nI_syn = 0*pA : amp"
            b["equations"] += "\n" + post
            b["parameters"] |= {key: model["parameters"][key]["default"] for key in names}
            joined = {"name": "s", "pre": "a", "post": "b", "model": name, "pairs": [[0, 0], [0, 1], [1, 1]]}
            network |= {"populations": [a, b], "projections": [joined]}
        else:
            drive = model["parameters"].get("I", {}).get("range")
            given = {"I": drive[1]} if drive else {}
            network["populations"] = [{"name": "a", "size": 2, "model": name, "parameters": given}]
        networks[name] = network
    return networks


def of_files() -> dict[str, dict[str, Any]]:
    """The networks of tests/networks and tests/export."""
    files = sorted([*(ROOT / "tests/networks").glob("*.json"), *(ROOT / "tests/export").glob("*.json")])
    return {f"{path.parent.name}/{path.name}": {**json.loads(path.read_text()), "duration_ms": 20} for path in files}


def of_catalogue() -> dict[str, dict[str, Any]]:
    """Networks of the catalogue."""
    import spikelet

    return {
        f"{name} of the catalogue": {**spikelet.catalogue(name, scale), "duration_ms": ms}
        for name, (scale, ms) in CATALOGUE.items()
    }


def run_script(script: Path, out: Path) -> None:
    """Runs a script of Brian 2 in this process, and stores what it has computed."""
    import runpy

    import brian2

    brian2.prefs.codegen.target = "numpy"
    names = runpy.run_path(str(script))
    found: dict[str, np.ndarray] = {}
    for name, monitor in names["spikes"].items():
        found[f"spikes {name}"] = np.array([np.round(monitor.t / brian2.defaultclock.dt), monitor.i])
    for of in names["network"].objects:
        if isinstance(of, (brian2.NeuronGroup, brian2.Synapses)):
            for variable in of.equations.names:
                if of.variables[variable].array and np.dtype(of.variables[variable].dtype).kind == "f":
                    found[f"{of.name}.{variable}"] = np.array(of.variables[variable].get_value(), dtype=float)
    np.savez(out, **found)


def compared(network: dict[str, Any]) -> tuple[str, str]:
    """How a network ends: `rejected`, `fails`, `differs`, `noticed`, `random` or `equal`, with a sentence."""
    import spikelet

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as notices:
        warnings.simplefilter("always")
        try:
            script = next(path for path in spikelet.export(network, "brian2", folder) if path.suffix == ".py")
        except spikelet.SpikeletError as error:
            return "rejected", str(error)
        out = Path(folder) / "out.npz"
        command = [sys.executable, str(HERE), "--script", str(script), "--out", str(out)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
        if done.returncode:
            lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
            return "fails", " ".join(lines[-3:])[-400:]
        simulation = spikelet.Simulation(network, precision="f64")
        simulation.run()
        theirs = dict(np.load(out))
        result, why = differences(network, simulation, theirs)
        noticed = next((str(of.message) for of in notices if "exponential Euler" in str(of.message)), None)
        return ("noticed", noticed) if result == "differs" and noticed else (result, why)


def differences(network: dict[str, Any], simulation: Any, theirs: dict[str, np.ndarray]) -> tuple[str, str]:
    """What differs."""
    text = json.dumps(network)
    kinds = {of.get("type") for of in network.get("sources", [])}
    models = " ".join(
        (MODELS / f"{of['model']}.toml").read_text()
        for kind in ("populations", "projections")
        for of in network.get(kind, [])
        if of.get("model")
    )
    if kinds & {"poisson", "poisson_input"} or re.search(r"\b(xi\w*|rand\(|randn\(|poisson\(|binomial\()", text + models):
        return "random", ""
    for name in simulation.populations:
        own = simulation.spikes(name)
        mine = np.array([own.steps, own.neurons])
        if f"spikes {name}" in theirs:
            order = np.lexsort(theirs[f"spikes {name}"][::-1])
            if not np.array_equal(mine, theirs[f"spikes {name}"][:, order]):
                return "differs", f"{name} has {mine.shape[1]} spikes, {theirs[f'spikes {name}'].shape[1]} in Brian 2"
    from spikelet.brian2.units import ten_to

    for path, unit in simulation.variables.items():
        right = theirs.get(path)
        if right is None or "(" in unit:
            continue
        values = simulation.get(path)
        own = np.broadcast_to(values, right.shape)
        # Values of Brian 2 are in SI: of the ratio only the power of ten is unknown here.
        largest = np.abs(right).max(initial=0)
        if largest == 0 or np.abs(own).max(initial=0) == 0:
            if largest > 1e-12:
                return "differs", f"{path} is 0 here"
            continue
        factor = ten_to(round(np.log10(largest / np.abs(own).max())))
        error = np.abs(own * factor - right).max() / largest
        if error > WITHIN:
            return "differs", f"{path} differs by {error:.2g} of its largest value"
    return "equal", ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="networks; default: all")
    parser.add_argument("--script", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.script:
        run_script(arguments.script, arguments.out)
        return 0
    networks = of_models() | of_files() | of_catalogue()
    wrong = []
    os.chdir(ROOT / "tests/networks")
    for name in arguments.names or networks:
        result, why = compared(networks[name])
        print(f"{result:9} {name}  {why}", flush=True)
        if result in ("fails", "differs"):
            wrong.append(name)
    print(
        f"{len(wrong)} of {len(arguments.names or networks)} are wrong: {', '.join(wrong)}" if wrong else "all are as in Brian 2"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
