"""Runs Brian 2's own tests of devices on `set_device("spikelet")`, and compares their results with a list.

    python tests/brian_suite.py

`brian_suite.json` has each test: it passes, is rejected with a sentence, or fails, and why. A test with another result is an error, also one that
passes and should not: then `--update` writes the list, and each reason that it lacks is to be written by hand."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from brian_scripts.sentences import plain, reasons

HERE = Path(__file__).resolve()
LIST = HERE.with_suffix(".json")
# Options of devices that write files.
OF_FILES = ("directory", "with_output")
#: Results in the order of the list.
RESULTS = ("passes", "rejected", "fails", "skipped")

Test = dict[str, str]


# In the process of the tests.


def child(out: Path, precision: str) -> None:
    """Runs the tests, and writes a line for each."""
    import brian2
    import brian2.tests
    import pytest

    import spikelet
    import spikelet.brian2

    brian2.prefs.codegen.target = "numpy"
    lines = out.open("w")

    class Recorder(brian2.tests.PreferencePlugin):
        """The plug-in of Brian 2 that selects the device, which also notes results."""

        def pytest_configure(self, config: Any) -> None:
            self.device_options = {key: of for key, of in self.device_options.items() if key not in OF_FILES}
            super().pytest_configure(config)

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
            report = (yield).get_result()
            if report.when != "call" and report.outcome == "passed":
                return
            result, text = {"passed": "passes", "skipped": "skipped"}.get(report.outcome, "fails"), ""
            if call.excinfo is not None:
                failure = call.excinfo.value
                if isinstance(failure, spikelet.SpikeletError):
                    result = "rejected"
                text = str(failure) if result == "rejected" else f"{type(failure).__name__}: {failure}"
            name = f"{Path(str(item.fspath)).stem}::{item.name}"
            lines.write(json.dumps({"test": name, "result": result, "text": text}) + "\n")
            lines.flush()

    brian2.tests.PreferencePlugin = Recorder
    brian2.test(
        [],
        test_codegen_independent=False,
        test_standalone="spikelet",
        test_in_parallel=[],
        reset_preferences=False,
        build_options={"backend": "cpu", "precision": precision},
        additional_args=["-p", "no:cacheprovider", "--tb=no"],
    )


# The comparison.


def measured(precision: str, limit: float) -> dict[str, Test]:
    """Results of all tests by their names."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results"
        command = [sys.executable, str(HERE), "--child", str(out), "--precision", precision]
        # The process starts elsewhere, where relative folders have no meaning.
        path = os.pathsep.join(str(Path(of).absolute()) for of in os.environ.get("PYTHONPATH", "").split(os.pathsep) if of)
        try:
            done = subprocess.run(
                command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=limit
            )
            if not out.exists():
                raise SystemExit(f"no test has run:\n{done.stderr}")
        except subprocess.TimeoutExpired:
            print(f"the tests did not end in {limit:g} s")
        found: dict[str, Test] = {}
        for line in out.read_text().splitlines() if out.exists() else ():
            of = json.loads(line)
            found[of["test"]] = {"result": of["result"], "shows": shown(of)}
        return found


def shown(of: Test) -> str:
    """The first reason of an error, or the first line of a failure, without names and numbers."""
    if of["result"] == "rejected":
        return plain(reasons(of["text"])[0])
    return plain(of["text"].strip().split("\n")[0])[:200]


def problems(listed: dict[str, Test], found: dict[str, Test]) -> list[str]:
    """What differs from the list."""
    lines = []
    for name in sorted(listed.keys() | found.keys()):
        is_listed, got = listed.get(name), found.get(name)
        if got is None:
            lines.append(f"{name} is in the list and did not run")
        elif is_listed is None:
            lines.append(f"{name} is not in the list: {got['result']} {got['shows']}")
        elif got["result"] != is_listed["result"]:
            lines.append(f"{name} is listed as: {is_listed['result']}; now: {got['result']} {got['shows']}")
        elif got["result"] == "rejected" and got["shows"] != is_listed["shows"]:
            lines.append(f"{name} is rejected with another sentence: {got['shows']}")
        elif got["result"] != "passes" and not is_listed.get("because"):
            lines.append(f"{name} has no reason in the list")
    return lines


def updated(listed: dict[str, Test], found: dict[str, Test]) -> None:
    """Writes the list with new results. A reason stays if its result does."""
    tests = {}
    for result in RESULTS:
        for name, of in sorted(found.items()):
            if of["result"] == result:
                old = listed.get(name, {})
                because = old.get("because", "") if old.get("result") == result else ""
                tests[name] = {"result": result} if result == "passes" else {**of, "because": because}
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(of, ensure_ascii=False)}" for name, of in tests.items())
    LIST.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="writes the list")
    parser.add_argument("--precision", choices=["f32", "f64"], default="f64")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds for all tests")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.precision)
        return 0
    listed = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {}
    found = measured(arguments.precision, arguments.limit)
    if arguments.update:
        updated(listed, found)
        listed = json.loads(LIST.read_text(encoding="utf-8"))
    lines = problems(listed, found)
    for line in lines:
        print(line)
    counts = {result: sum(of["result"] == result for of in found.values()) for result in RESULTS}
    print(
        f"tests of Brian 2 on the device: {len(found)}: {counts['passes']} pass, {counts['rejected']} are rejected with a sentence, "
        f"{counts['fails']} fail, {counts['skipped']} are skipped; {len(lines) or 'none'} other than in the list"
    )
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
