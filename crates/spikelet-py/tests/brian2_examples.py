"""Runs the examples of Brian 2 by `set_device("spikelet")` and by its own runtime, and writes what agrees as a table.

    pip download brian2==2.9.0 --no-binary brian2 --no-deps && tar xf brian2-2.9.0.tar.gz
    python brian2_examples.py brian2-2.9.0/examples --table ../../../docs/python-brian2.md

Every example runs unchanged, in a process of its own, without a display, with the same seed of NumPy; `set_device` of an example is ignored.
If a run of an example is longer than `--steps`, it ends there, in both; the table marks these with the time they ran. After each `run`, the
spikes of all monitors (a hash of neurons and steps) and the values of state monitors are noted. Examples that draw no random numbers during
the run must be equal; of the others the numbers of spikes are shown."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
# Examples of compartments and of other programs, which are not tried.
LEFT_OUT = {"compartmental": "neurons with compartments"}
# Relative difference of state monitors that is due to rounding.
WITHIN = 1e-5


# In the process of an example.


def child(example: Path, device: str, steps: int, out: Path) -> None:
    """Runs an example, and writes what its monitors have after each run."""
    os.environ["MPLBACKEND"] = "Agg"
    import importlib
    import runpy
    import traceback
    import warnings

    import brian2
    import numpy as np
    from brian2.core.network import Network

    # The module, which has the name of the device that it exports.
    devices = importlib.import_module("brian2.devices.device")

    brian2.prefs.codegen.target = "numpy"
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {
        "runs": [],
        "error": None,
        "random": False,
        "seconds": 0.0,
        "shortened": None,
        "notices": [],
    }
    if device == "spikelet":
        import spikelet.brian2 as module

        warnings.filterwarnings("always", category=module.BrianNotice)
        warnings.showwarning = lambda message, category, *_, **__: (
            found["notices"].append(str(message)) if issubclass(category, module.BrianNotice) else None
        )
        devices.set_device("spikelet", backend="cpu", precision="f64")
    else:
        devices.RuntimeDevice.build = lambda *_, **__: None
    select = lambda *_, **__: None  # noqa: E731
    for place in (brian2, devices, importlib.import_module("brian2.devices"), importlib.import_module("brian2.only")):
        place.set_device = select
    original = Network.run

    def run(self: Network, duration: Any, *arguments: Any, **options: Any) -> None:
        options["level"] = options.get("level", 0) + 1
        options.pop("report", None)
        longest = steps * min((float(of.clock.dt) for of in self.sorted_objects), default=1e-4)
        if float(duration) > longest:
            found["shortened"] = longest
            duration = longest * brian2.second
        began, objects = time.time(), list(self.objects)
        try:
            original(self, duration, *arguments, **options)
        finally:
            found["seconds"] += time.time() - began
        if device == "spikelet":
            from spikelet.brian2.device import draws, spikelet_device

            found["random"] |= self in spikelet_device.live and draws(spikelet_device.live[self].network)
        found["runs"].append(summary(objects, brian2, np))

    Network.run = run
    if type(devices.get_device()).__name__ != ("SpikeletDevice" if device == "spikelet" else "RuntimeDevice"):
        raise RuntimeError(f"the device is {devices.get_device()}")
    np.random.seed(12345)
    os.chdir(example.parent)
    sys.path.insert(0, str(example.parent))
    sys.argv = [example.name]
    try:
        runpy.run_path(str(example), run_name="__main__")
    except SystemExit:
        pass
    except BaseException as failure:
        found["error"] = f"{type(failure).__name__}: {failure}"
        found["traceback"] = traceback.format_exc()
    out.write_text(json.dumps(found))


def summary(objects: list[Any], brian2: Any, np: Any) -> dict[str, Any]:
    """What the monitors among the objects of a network have."""
    found = {}
    for of in objects:
        if isinstance(of, brian2.EventMonitor):
            entry: dict[str, Any] = {"kind": "spikes", "count": int(of.variables["N"].get_value().item())}
            if of.record:
                steps, neurons = (
                    np.round(np.asarray(of.t) / float(of.clock.dt)).astype(np.int64),
                    np.asarray(of.i).astype(np.int64),
                )
                order = np.lexsort((neurons, steps))
                entry["hash"] = hashlib.sha256(steps[order].tobytes() + neurons[order].tobytes()).hexdigest()
            found[of.name] = entry
        elif isinstance(of, brian2.StateMonitor):
            for name in of.record_variables:
                values = np.asarray(getattr(of, name), dtype=float)
                chosen = values[:20, :: max(1, values.shape[1] // 50)] if values.ndim == 2 and values.size else values
                found[f"{of.name}.{name}"] = {
                    "kind": "values",
                    "shape": list(values.shape),
                    "values": chosen.ravel().tolist(),
                }
        elif isinstance(of, brian2.PopulationRateMonitor):
            values = np.asarray(of.rate, dtype=float)
            found[of.name] = {"kind": "values", "shape": list(values.shape), "values": values[:5000].tolist()}
    return found


# The comparison.


def execute(example: Path, device: str, steps: int, limit: float) -> dict[str, Any]:
    """Runs an example in a process of its own, in a copy of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "example"
        shutil.copytree(example.parent, place)
        out = Path(folder) / "found.json"
        command = [sys.executable, str(HERE), "--child", str(place / example.name), device, str(steps), str(out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return {"error": f"more than {limit:g} s", "runs": [], "is_late": True}
        if not out.exists():
            return {"error": (done.stderr.strip().splitlines() or ["it ended"])[-1], "runs": []}
        return json.loads(out.read_text())


def compare(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str]:
    """What agrees: a word and a sentence."""
    spikes, other_spikes, different, largest, values = 0, 0, [], 0.0, 0
    if len(ours["runs"]) != len(theirs["runs"]):
        return "differs", f"{len(ours['runs'])} runs here, {len(theirs['runs'])} there"
    for one, other in zip(ours["runs"], theirs["runs"], strict=False):
        if one.keys() != other.keys() and len(one) == len(other):
            # Names are numbered by the objects that are still alive.
            other = dict(zip(sorted(one), (other[name] for name in sorted(other)), strict=True))
        for name, entry in one.items():
            of = other.get(name)
            if of is None:
                different.append(f"`{name}` is missing")
            elif entry["kind"] == "spikes":
                spikes, other_spikes = spikes + entry["count"], other_spikes + of["count"]
                if entry.get("hash") != of.get("hash") or entry["count"] != of["count"]:
                    different.append(f"`{name}`: {entry['count']} spikes, {of['count']} in Brian 2")
            elif entry["shape"] != of["shape"]:
                different.append(f"`{name}` has the shape {entry['shape']}, {of['shape']} in Brian 2")
            else:
                scale = max((abs(value) for value in of["values"] if value == value), default=0.0) or 1.0
                pairs = [(a, b) for a, b in zip(entry["values"], of["values"], strict=False) if a == a or b == b]
                error = max((abs(a - b) / scale for a, b in pairs), default=0.0)
                values += 1
                largest = max(largest, error)
                if not error <= WITHIN:
                    different.append(f"`{name}` differs by {error:.1g} of its range")
    if ours["random"]:
        return (
            "statistics",
            f"{spikes} spikes, {other_spikes} in Brian 2"
            if spikes or other_spikes
            else "runs; it draws random numbers and has no spike monitor",
        )
    if different:
        return "differs", "; ".join(different[:3])
    if spikes or other_spikes:
        return "equal", f"{spikes} spikes" + (f", values within {largest:.0e}" if values and largest else "")
    return "equal" if values else "runs", f"values within {largest:.0e}" if values else "it has no monitors, or runs nothing"


def judge(example: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """The row of an example."""
    steps = arguments.steps
    ours = execute(example, "spikelet", steps, arguments.limit)
    row = {
        "seconds": ours.get("seconds", 0.0),
        "theirs": 0.0,
        "shortened": ours.get("shortened"),
        "notices": ours.get("notices", []),
    }
    if ours["error"] and "SpikeletError" not in ours["error"] and not ours.get("is_late"):
        # An example that fails in Brian 2, too, lacks something else than the device.
        theirs = execute(example, "runtime", steps, arguments.limit * 2)
        if theirs["error"] and theirs["error"].split(":")[0] == ours["error"].split(":")[0]:
            result, detail = compare(ours, theirs) if ours["runs"] and len(ours["runs"]) == len(theirs["runs"]) else ("other", "")
            return row | {
                "result": result,
                "detail": f"{detail}; fails in Brian 2, too: {reason(ours['error'])}".removeprefix("; "),
            }
    if ours["error"] and not ours.get("is_late"):
        return row | {"result": "not", "detail": reason(ours["error"])}
    if ours["error"]:
        return row | {"result": "late", "detail": ours["error"]}
    theirs = execute(example, "runtime", steps, arguments.limit * 2)
    row["theirs"] = theirs.get("seconds", 0.0)
    if theirs["error"]:
        return row | {"result": "runs", "detail": f"not compared: Brian 2 itself: {reason(theirs['error'])}"}
    result, detail = compare(ours, theirs)
    return row | {"result": result, "detail": detail}


def reason(error: str) -> str:
    """An error in one line."""
    error = re.sub(r"/\S*/", "", error)
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    reasons = [line.removeprefix("- ") for line in lines if line.startswith("- ")] or lines[:2]
    return " ".join(reasons)[:400]


RESULTS = {
    "equal": "equal",
    "statistics": "random",
    "differs": "differs",
    "runs": "runs",
    "not": "no",
    "late": "too long",
    "other": "not tried",
}


def table(rows: dict[str, dict[str, Any]]) -> str:
    """The table in Markdown."""
    lines = ["| example | | | Spikelet | Brian 2 |", "|---|---|---|---|---|"]
    for name, row in sorted(rows.items()):
        detail = row["detail"].replace("|", "\\|").replace("\n", " ")
        if row["shortened"]:
            detail += f" (each run ends after {row['shortened'] * 1e3:g} ms)"
        if row["notices"]:
            detail += f"; notice: {row['notices'][0][:200]}"
        seconds = lambda value: f"{value:.2g} s" if value else ""  # noqa: E731
        lines.append(f"| `{name}` | {RESULTS[row['result']]} | {detail} | {seconds(row['seconds'])} | {seconds(row['theirs'])} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="the folder of the examples")
    parser.add_argument("names", nargs="*", help="parts of names of examples; default: all")
    parser.add_argument("--steps", type=int, default=20000, help="the longest run, in steps")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for an example on Spikelet; Brian 2 has twice as much")
    parser.add_argument("--rows", type=Path, default=Path("brian2_examples.json"), help="a file that keeps finished rows")
    parser.add_argument("--again", action="store_true", help="also run what the file has")
    parser.add_argument("--table", type=Path, help="the page in which the table is written, between its marks")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        example, device, steps, out = arguments.child
        child(Path(example).resolve(), device, int(steps), Path(out))
        return
    rows = json.loads(arguments.rows.read_text()) if arguments.rows.exists() else {}
    for example in sorted(arguments.folder.rglob("*.py")):
        name = str(example.relative_to(arguments.folder).with_suffix(""))
        if name.split("/")[0] in LEFT_OUT or (arguments.names and not any(part in name for part in arguments.names)):
            continue
        if name in rows and not arguments.again:
            continue
        rows[name] = judge(example, arguments)
        print(f"{rows[name]['result']:10} {name:60} {rows[name]['detail'][:150]}", flush=True)
        arguments.rows.write_text(json.dumps(rows, indent=1))
    counts = {result: sum(row["result"] == result for row in rows.values()) for result in RESULTS}
    print(", ".join(f"{count} {RESULTS[result]}" for result, count in counts.items() if count))
    if arguments.table:
        page = arguments.table.read_text()
        start, end = page.index("<!-- table -->"), page.index("<!-- end -->")
        arguments.table.write_text(page[:start] + "<!-- table -->\n" + table(rows) + "\n" + page[end:])


if __name__ == "__main__":
    main()
