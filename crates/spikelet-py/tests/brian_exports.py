"""Exports networks as scripts for Brian 2, runs the scripts there, and compares spikes and final values with those of Spikelet in f64.

    python tests/brian_exports.py               # all models of the library, networks of the catalogue, and of tests/networks
    python tests/brian_exports.py lif stdp_song # some of them

`brian_exports.json` has the networks that are rejected, with the sentence that names what Brian 2 lacks, and those that cannot be compared. All
others must run, and have equal values. Where random numbers are drawn during the run, the script runs as it is, and once more with a list of
spikes and numbers in their place, which is compared. A network with another result is an error, also one that is equal and should not: then
`--update` writes the list."""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import tomllib

HERE = Path(__file__).resolve()
ROOT = HERE.parents[3]
MODELS = ROOT / "crates/spikelet-lang/models"
LIST = HERE.with_suffix(".json")
#: Networks of the catalogue, with their scale and their length in ms: Brian 2 builds them in seconds.
CATALOGUE: dict[str, tuple[float, float]] = {
    "cuba": (0.05, 20), "coba": (0.05, 20), "cobahh": (0.05, 5), "izhikevich": (0.1, 20), "brunel_sr": (0.05, 5), "brunel_si_fast": (0.05, 5),
    "brunel_ai": (0.05, 5), "brunel_si_slow": (0.05, 5), "ping": (0.2, 20), "synfire": (0.2, 20), "ring": (0.2, 10), "decision": (0.05, 5),
    "waves": (0.1, 10), "stdp_song": (1, 20), "stdp_window": (1, 20), "plastic_cuba": (0.02, 20), "istdp_balance": (0.05, 10),
    "bcm_selectivity": (1, 20), "rstdp_reward": (1, 20), "spike_pattern": (1, 5), "assemblies_project": (0.01, 5),
    "assemblies_associate": (0.01, 5), "assemblies_parser": (0.1, 5), "pd14": (0.01, 5), "pd14_dc": (0.01, 5), "lixirnet": (0.02, 10),
    "lattice4d": (0.1, 5), "world4d": (0.1, 20), "guide10k": (0.02, 10), "guide_ei": (0.02, 10), "fly": (0.005, 5), "million": (0.001, 10),
}  # fmt: skip
#: Models whose differences of rounding grow fast, with the time in ms after which they are compared.
CHAOTIC = {"rulkov_chaotic": 3}
#: Variables that end within this distance of 0, in SI: a time that is counted down by dt ends on the one side of 0 or on the other.
COUNTED = {"left": 1.001e-4}
#: Differences that come from the order of sums, which grow from step to step. Weights that a network draws are rounded for sums of f32.
WITHIN, ROUNDED = 1e-6, {"fly of the catalogue": 1e-4}
#: Conditions that hold at times which are equal up to rounding. In Brian 2 a time may differ from the number by the last digit of f64.
TIMES = {
    "(t - i*0.3*ms) %": "(t + 0.01*ms - i*0.3*ms) %",
    "t > onset and t <= onset + 0.1*ms or t - last > 3*ms": "t > onset + 0.01*ms and t <= onset + 0.11*ms or t - last > 3.01*ms",
    "int(t/(i*0.1*ms": "int((t + 0.01*ms)/(i*0.1*ms",
}
#: Texts that are drawn when they are executed.
DRAWN = re.compile(r"\b(xi\w*|rand|randn|poisson|binomial|uniform|normal|lognormal|gamma|exponential)\b\s*(\(|(?=[-+*/ )]|$))")
#: What a network executes during its run, by its key.
EXECUTED = {
    "equations",
    "threshold",
    "reset",
    "refractory",
    "update",
    "on_pre",
    "on_post",
    "on_third",
    "statements",
    "events",
    "functions",
    "rate",
}


def of_models() -> dict[str, dict[str, Any]]:
    """A small network for each model of the library."""
    networks = {}
    for path in sorted(MODELS.glob("*.toml")):
        model, name = tomllib.loads(path.read_text()), path.stem
        network: dict[str, Any] = {"name": name, "dt_ms": 0.1, "duration_ms": CHAOTIC.get(name, 30)}
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
            if re.match(r"\s*I = ", model.get("equations", "")):
                network["recordings"] = [{"object": "a", "var": "I", "indices": [0, 1]}]
        networks[name] = network
    return networks


def of_files() -> dict[str, dict[str, Any]]:
    """The networks of tests/networks and tests/export."""
    files = sorted([*(ROOT / "tests/networks").glob("*.json"), *(ROOT / "tests/export").glob("*.json")])
    texts = {path: path.read_text() for path in files}
    for path in files:
        for exact, apart in TIMES.items():
            texts[path] = texts[path].replace(exact, apart)
    return {f"{path.parent.name}/{path.name}": {**json.loads(text), "duration_ms": 20} for path, text in texts.items()}


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
    recorded = [name.split(",")[0] for name in names["traces"]]
    for name, monitor in names["traces"].items():
        # Of several recordings of one variable Spikelet makes one table.
        if recorded.count(name.split(",")[0]) > 1:
            continue
        found[f"trace {name.split(',')[0]}"] = np.array(getattr(monitor, next(iter(monitor.record_variables))), dtype=float)
    for of in names["network"].objects:
        if isinstance(of, (brian2.NeuronGroup, brian2.Synapses)):
            for variable in of.equations.names:
                if of.variables[variable].array and np.dtype(of.variables[variable].dtype).kind == "f":
                    found[f"{of.name}.{variable}"] = np.array(of.variables[variable].get_value(), dtype=float)
    np.savez(out, **found)


def texts(of: Any, key: str = "") -> list[str]:
    """What a part of a network executes during its run."""
    if isinstance(of, dict):
        model = [(MODELS / f"{of['model']}.toml").read_text()] if "model" in of else []
        inside = EXECUTED if key not in EXECUTED else of.keys()
        return model + [text for name, part in of.items() for text in texts(part, name if name in inside else "other")]
    if isinstance(of, list):
        return [text for part in of for text in texts(part, key)]
    return [of] if isinstance(of, str) and key != "other" else []


def draws(network: dict[str, Any]) -> bool:
    """Whether equations or statements of a network draw random numbers."""
    executed = [text for kind in ("populations", "projections") for of in network.get(kind, []) for text in texts(of)]
    lines = [
        line.split("#")[0]
        for text in executed
        for line in text.splitlines()
        if not line.startswith(("about", "citation", "title"))
    ]
    return any(DRAWN.search(line) for line in lines)


def without_draws(of: Any, key: str = "") -> Any:
    """A part of a network with numbers in the place of random ones in what it executes."""
    if isinstance(of, dict):
        return {name: without_draws(part, name if key not in EXECUTED else key) for name, part in of.items()}
    if isinstance(of, list):
        return [without_draws(part, key) for part in of]
    if not isinstance(of, str) or key not in EXECUTED:
        return of
    for name, number in ((r"\brand\(\)", "0.3"), (r"\brandn\(\)", "0.2"), (r"\bxi\w*", "(0.1*ms**-0.5)")):
        of = re.sub(name, number, of)
    return of


def without_chance(network: dict[str, Any]) -> dict[str, Any]:
    """A network with lists of spikes, and numbers, in the place of random ones."""
    fixed = {key: without_draws(of) for key, of in copy.deepcopy(network).items()}
    generator = np.random.default_rng(1)
    steps = int(network["duration_ms"] / network["dt_ms"])
    sources = []
    for of in fixed.get("sources", []):
        if of.get("type") == "poisson":
            spikes = [
                (int(i), float(step * network["dt_ms"])) for i, step in np.argwhere(generator.random((of["size"], steps)) < 0.02)
            ]
            of = {"name": of["name"], "size": of["size"], "spike_times_ms": spikes}
        if of.get("type") != "poisson_input":
            sources.append(of)
    fixed["sources"] = sources
    return fixed


def compared(network: dict[str, Any]) -> tuple[str, str]:
    """How a network ends: `rejected`, `fails`, `differs`, `random` or `equal`, with a sentence."""
    import spikelet

    result, why = tried(network)
    is_random = any(of.get("type") in ("poisson", "poisson_input") for of in network.get("sources", []))
    if result != "differs" or not (is_random or draws(network)):
        return result, why
    fixed = without_chance(network)
    if draws(fixed):
        return "random", ""
    try:
        return tried(fixed)
    except spikelet.SpikeletError as error:
        return "fails", f"without random numbers: {error}"


def tried(network: dict[str, Any]) -> tuple[str, str]:
    """The same of one script, whose values are compared in any case."""
    import spikelet

    with tempfile.TemporaryDirectory() as folder:
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
        return differences(simulation, dict(np.load(out)), ROUNDED.get(f"{network['name']} of the catalogue", WITHIN))


def named(path: str, found: dict[str, np.ndarray]) -> np.ndarray | None:
    """The values of Brian 2 for a name of Spikelet, which may be one that Python has."""
    first, *rest = re.sub(r"[^\w .]", "_", path).split(".")
    names = [".".join([a + first, *(b + of for of in rest)]) for a in ("", "n_") for b in ("", "n_")]
    return next((found[name] for name in names if name in found), None)


def differences(simulation: Any, theirs: dict[str, np.ndarray], within: float) -> tuple[str, str]:
    """What differs."""
    seen = 0
    for name in simulation.populations:
        own = simulation.spikes(name)
        mine = np.array([own.steps, own.neurons])
        if f"spikes {name}" in theirs:
            seen += 1
            order = np.lexsort(theirs[f"spikes {name}"][::-1])
            if not np.array_equal(mine, theirs[f"spikes {name}"][:, order]):
                return "differs", f"{name} has {mine.shape[1]} spikes, {theirs[f'spikes {name}'].shape[1]} in Brian 2"
    paths = sorted({re.sub(r"\[.*", "", of) for of in simulation.recorded})
    recorded = [(f"trace {path}", simulation.trace(path)) for path in paths if f"trace {path}" in theirs]
    values = [(path, named(path, theirs), simulation.get(path)) for path, unit in simulation.variables.items() if "(" not in unit]
    for path, right, own in [(path, theirs[path], of.values.T) for path, of in recorded if "(" not in of.unit] + values:
        if right is not None:
            seen += 1
            if error := difference(path, np.asarray(own), right, within):
                return "differs", f"{path} {error}"
    return ("equal", "") if seen else ("differs", "there is nothing to compare")


def difference(path: str, own: np.ndarray, right: np.ndarray, within: float) -> str:
    """How values differ, if they do."""
    from spikelet.brian2.units import ten_to

    own = np.broadcast_to(own, right.shape) if own.ndim < 2 else own
    if own.shape != right.shape:
        return f"has the shape {own.shape}, {right.shape} in Brian 2"
    # Values of Brian 2 are in SI: of the ratio only the power of ten is unknown here.
    largest = np.abs(right).max(initial=0)
    if largest < COUNTED.get(path.split(".")[-1], 0):
        return ""
    if largest == 0 or np.abs(own).max(initial=0) == 0:
        return "is 0 here" if largest > 1e-12 else ""
    error = np.abs(own * ten_to(round(np.log10(largest / np.abs(own).max()))) - right).max() / largest
    return f"differs by {error:.2g} of its largest value" if error > within else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="networks; default: all")
    parser.add_argument("--update", action="store_true", help="writes the list")
    parser.add_argument("--script", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.script:
        run_script(arguments.script, arguments.out)
        return 0
    # Brian 2 can be imported in the main thread only.
    import spikelet.brian2  # noqa: F401

    networks = of_models() | of_files() | of_catalogue()
    listed = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {}
    names, wrong, kept = arguments.names or list(networks), [], {}
    os.chdir(ROOT / "tests/networks")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (result, why) in zip(names, pool.map(lambda name: compared(networks[name]), names), strict=True):
            found = [result, why] if why else [result]
            print(f"{result:9} {name}  {why}", flush=True)
            if result in ("rejected", "random"):
                kept[name] = found
            if result in ("fails", "differs") or found != listed.get(name, ["equal"]):
                wrong.append(f"{name} is {' '.join(found)}; in the list: {' '.join(listed.get(name, ['equal']))}")
    if arguments.update and not arguments.names:
        rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(of, ensure_ascii=False)}" for name, of in kept.items())
        LIST.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    print(*wrong, sep="\n")
    print(f"{len(wrong) or 'none'} of {len(names)} other than in the list")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
