"""Mainen & Sejnowski 1995, Science 268:1503, figure 1: a fluctuating current gives the same spikes each time.

Published, of cortical cells: in 25 repetitions of a constant current spikes scatter by more than 10 ms at the end; those
of a fluctuating one scatter by less than 1 ms. Here the cell is a model (adex, weak adaptation), with weak noise of its own.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"constant: scatter at the end (ms)": (20, 10), "fluctuating: median scatter (ms)": (0.5, 0.5)}
filtered = np.convolve(np.random.default_rng(8).normal(size=1800), np.exp(-np.arange(60) / 6) / np.sqrt(3))[:1800]
signals = {"constant": np.full(1800, 700.0), "fluctuating": 700 + 600 * filtered}  # every 0.5 ms, correlated over 3 ms
cell = {"size": 25, "model": "adex", "equations": "I_syn = 150*pA*randn() : amp (constant over dt)"}
populations = []
for name, values in signals.items():
    current = {"timed": values, "dt": "0.5 ms", "unit": "pA"}
    populations.append(cell | {"name": name, "parameters": {"I": current, "b": "40 pA"}})
network = {"name": "repetitions", "dt_ms": 0.1, "duration_ms": 900, "populations": populations}

simulation = spikelet.Simulation(network, backend="cpu")
simulation.run()
trains = {name: simulation.spikes(name).trains() for name in signals}
scatter = {name: np.array([train[: min(map(len, of))] for train in of]).std(axis=0) for name, of in trains.items()}
measured = {"constant: scatter at the end (ms)": scatter["constant"][-1]}
measured["fluctuating: median scatter (ms)"] = np.median(scatter["fluctuating"])

figure, axes = plt.subplots(2, 2, figsize=(10, 5), layout="constrained", sharex=True, sharey="row", height_ratios=[2, 1])
for (raster, curve), name, (key, value) in zip(axes.T, signals, measured.items(), strict=True):
    raster.eventplot(trains[name], linewidths=0.8)
    raster.set(ylabel="repetition", title=f"{key}: {value:.1f} (published: {'> 10' if value > 5 else '< 1'})")
    curve.plot(np.arange(1800) / 2, signals[name] / 1000, linewidth=0.7)
    curve.set(xlabel="time (ms)", ylabel="current (nA)", xlim=(0, 900))
figure.savefig(Path(sys.argv[1]) / "mainen_sejnowski_1995.png") if sys.argv[1:] else plt.show()
