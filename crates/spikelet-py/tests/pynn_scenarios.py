"""Runs PyNN's own scenario tests with Spikelet: `python pynn_scenarios.py FOLDER [pytest options]`.

FOLDER is `test/system/scenarios` of the source of PyNN 0.13 (`pip download pynn==0.13.0 --no-binary :all: --no-deps`). Each test that PyNN runs with
any simulator runs with `spikelet.pynn`. A table of the results is printed in Markdown.
"""

from __future__ import annotations

import importlib
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

LIMIT_S = 120


class Simulator:
    """The module, under a name as PyNN's simulators have it."""

    __name__ = "pyNN.spikelet"

    def __str__(self) -> str:
        return self.__name__

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("spikelet.pynn"), name)


def run_with_simulators(*names: str) -> Any:
    """In place of the decorator of the tests: one run, with Spikelet."""
    return pytest.mark.parametrize("sim", [pytest.param(Simulator(), id="spikelet")])


class Results:
    """A plugin of pytest that collects what became of each test."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[str, str, float]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Any:
        def stop(number: int, frame: FrameType | None) -> None:
            raise TimeoutError(f"longer than {LIMIT_S} s")

        before = signal.signal(signal.SIGALRM, stop)
        signal.alarm(LIMIT_S)
        try:
            return (yield)
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome == "skipped":
            name = report.nodeid.rpartition("/")[2].replace("::", " ").replace("[spikelet]", "")
            reason = ""
            if report.outcome == "skipped":
                reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
            elif report.outcome == "failed":
                reason = (
                    report.longrepr.reprcrash.message.splitlines()[0]
                    if hasattr(report.longrepr, "reprcrash")
                    else str(report.longrepr)
                )
            self.rows[name] = (report.outcome, reason, report.duration)


def main(folder: Path, options: list[str]) -> int:
    """Runs all tests and prints the table."""
    top = folder
    while (top / "__init__.py").exists():
        top = top.parent
    package = ".".join(folder.relative_to(top).parts)
    sys.path.insert(0, str(top))
    fixtures = importlib.import_module(f"{package}.fixtures")
    fixtures.run_with_simulators = run_with_simulators
    results = Results()
    pytest.main([str(folder), "-q", "-p", "no:cacheprovider", "-W", "ignore", *options], plugins=[results])
    outcomes = [outcome for outcome, _, _ in results.rows.values()]
    print(f"\n{outcomes.count('passed')} passed, {outcomes.count('failed')} failed, {outcomes.count('skipped')} skipped\n")
    print("| test | result | time | why |\n|---|---|---|---|")
    for name, (outcome, reason, seconds) in results.rows.items():
        print(f"| `{name}` | {outcome} | {seconds:.1f} s | {reason} |")
    return outcomes.count("failed")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
