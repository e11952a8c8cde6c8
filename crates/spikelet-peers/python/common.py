"""What the scripts of all peers share: the command line, and how they are asked.

    run_brian2.py MODEL --seconds S --threads N

A script gets its network ready and prints `READY {json}`. Then, for each line on its standard input, a seed, it runs the network from
its start for S biological seconds and prints `RESULT {json}`: the wall time of the simulation loop alone, with all spikes
recorded, and the mean rate of each population over the whole run. It ends with its input.
"""

import argparse
import json
import os
import sys

import numpy as np


def arguments(models):
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=models)
    parser.add_argument("--seconds", type=float, required=True, help="biological time of a run")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def limit_threads(threads):
    """For the libraries below; before they are imported."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = str(threads)


def answer(version, seconds, run):
    """Answers each request with `run(seed)`: wall seconds, the neuron of each spike, and (name, first, end) of each population."""
    say("READY", {"version": version})
    for line in sys.stdin:
        wall, neurons, populations = run(int(line))
        counts = np.bincount(np.asarray(neurons, np.int64), minlength=populations[-1][2])
        rates = {name: float(counts[first:end].sum() / (end - first) / seconds) for name, first, end in populations}
        say("RESULT", {"wall_seconds": wall, "spikes": int(counts.sum()), "rates_hz": rates})


def say(word, values):
    print(word, json.dumps(values), flush=True)


def halves(n_e, n_i):
    """Populations E and I, in this order."""
    return [("E", 0, n_e), ("I", n_e, n_e + n_i)]


def in_a_row(names, sizes):
    """Populations one after the other."""
    ends = np.cumsum(sizes)
    return [(name, int(end - size), int(end)) for name, size, end in zip(names, sizes, ends)]


def conductances(rng, n):
    """Initial ge and gi of COBA and COBAHH, in nS."""
    return np.maximum(0, 10 * (1.5 * rng.standard_normal(n) + 4)), np.maximum(0, 10 * (12 * rng.standard_normal(n) + 20))


def izhikevich_cells(rng, n_e, n_i):
    """a, b, c and d of all neurons."""
    r_e, r_i = rng.random(n_e), rng.random(n_i)
    a = np.r_[np.full(n_e, 0.02), 0.02 + 0.08 * r_i]
    b = np.r_[np.full(n_e, 0.2), 0.25 - 0.05 * r_i]
    c = np.r_[-65 + 15 * r_e ** 2, np.full(n_i, -65.0)]
    d = np.r_[8 - 6 * r_e ** 2, np.full(n_i, 2.0)]
    return a, b, c, d
