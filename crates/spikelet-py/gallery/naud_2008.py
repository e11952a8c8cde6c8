"""Naud, Marcille, Clopath & Gerstner 2008, Biol Cybern 99:335, table 1: eight firing patterns of the AdEx model.

Published: the kind of each pattern. `KINDS` says what it means for the intervals between spikes (ms).
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

KINDS = {
    "tonic": lambda train, gaps: gaps.max() < 1.15 * gaps.min(),
    "adapting": lambda train, gaps: gaps[-1] > 3 * gaps[0] and (np.diff(gaps) > -0.2).all(),
    "initial_burst": lambda train, gaps: (gaps[:2] < 10).all() and np.ptp(gaps[3:]) < 1,
    "regular_bursting": lambda train, gaps: (np.sort(gaps)[::-1] > 100).sum() >= 3 and (gaps[gaps < 100] < 10).all(),
    "delayed_accelerating": lambda train, gaps: train[0] > 30 and gaps[-1] < 0.6 * gaps[0],
    "delayed_regular_bursting": lambda train, gaps: train[0] > 50 and (np.diff(np.flatnonzero(gaps > 20)) == 4).all(),
    "transient": lambda train, gaps: 1 <= len(train) <= 2 and train[-1] < 100,
    "irregular": lambda train, gaps: gaps[5:].std() > 0.35 * gaps[5:].mean(),
}
cells = [{"name": name, "size": 1, "model": "adex", "preset": name} for name in KINDS]
simulation = spikelet.Simulation({"name": "AdEx", "dt_ms": 0.1, "duration_ms": 500, "populations": cells}, backend="cpu")
for name in KINDS:
    simulation.record(f"{name}.v")
simulation.run()
trains = {name: simulation.spikes(name).times for name in KINDS}
measured = {"patterns of the published kind": sum(bool(KINDS[name](train, np.diff(train))) for name, train in trains.items())}
published = {"patterns of the published kind": (8, 0)}

figure, axes = plt.subplots(4, 2, figsize=(9, 8), layout="constrained", sharex=True, sharey=True)
for axis, (name, train) in zip(axes.flat, trains.items(), strict=True):
    simulation.trace(f"{name}.v").plot(axis, linewidth=0.8)
    axis.vlines(train, -45, 0, linewidth=0.8)
    axis.set(title=name.replace("_", " "), ylabel="v (mV)", ylim=(-80, 5))
    axis.label_outer()
figure.suptitle(f"AdEx: {measured['patterns of the published kind']} of 8 patterns are of the published kind")
figure.savefig(Path(sys.argv[1]) / "naud_2008.png") if sys.argv[1:] else plt.show()
