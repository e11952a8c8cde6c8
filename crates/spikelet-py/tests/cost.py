"""What a run costs in Python beside the command line, in turns: `python tests/cost.py SPIKELET [NETWORK] [MS]`."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

import spikelet

TURNS = 9


def package(network: str, duration_ms: float) -> tuple[float, str]:
    """Wall time of `run` in s, and the hash of the spikes."""
    simulation = spikelet.Simulation(network, backend="cpu", duration_ms=duration_ms)
    start = time.perf_counter()
    simulation.run()
    return time.perf_counter() - start, simulation.report()["spikes_hash"]


def command(program: str, network: str, duration_ms: float) -> tuple[float, str]:
    """Wall time of the simulation in s, as the command reports it, and the hash of the spikes."""
    words = [program, "run", network, "--time", str(duration_ms), "--backend", "cpu", "--json"]
    report = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return report["simulate_seconds"], report["spikes_hash"]


def main() -> None:
    given = sys.argv[1:]
    program, network, duration_ms = given + ["spikelet", "cuba", "10000"][len(given) :]
    pairs = [(package(network, float(duration_ms)), command(program, network, float(duration_ms))) for _ in range(TURNS)]
    assert len({hash_ for pair in pairs for _, hash_ in pair}) == 1, "the spikes differ"
    ours, theirs = ([pair[side][0] for pair in pairs] for side in (0, 1))
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    print(
        f"{network}, {float(duration_ms):g} ms: Python {statistics.median(ours):.3f} s, command {statistics.median(theirs):.3f} s"
    )
    print(f"ratio: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    main()
