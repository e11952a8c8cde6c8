"""Song, Miller & Abbott 2000, Nat Neurosci 3:919, figure 2: STDP makes the inputs of a cell compete.

Published: weights go to both bounds. The faster the inputs fire, the fewer stay strong: the cell fires at nearly the same rate.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

INPUTS = (15, 20, 40)
published = {"final rate, ratio of 40 and 15 Hz inputs": (1, 0.8), "weights at the bounds": (1, 0.4)}
weights, times, rates = {}, {}, {}
network = spikelet.catalogue("stdp_song") | {"recordings": [], "statistics": []}
for hz in INPUTS:
    network["sources"][0]["rate"] = f"{hz} Hz"
    simulation = spikelet.Simulation(network, backend="cpu", dt_ms=0.2, duration_ms=60_000)
    simulation.run()
    weights[hz] = simulation.get("learning.w")
    times[hz], rates[hz] = simulation.spikes("cell").rates(1000)
measured = {"final rate, ratio of 40 and 15 Hz inputs": rates[40][-10:].mean() / rates[15][-10:].mean()}
measured["first rate, the same"] = rates[40][0] / rates[15][0]
measured["weights at the bounds"] = np.mean([np.mean((w < 0.2) | (w > 0.8)) for w in weights.values()])

figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained")
for axis, hz in zip(axes, INPUTS, strict=False):
    axis.hist(weights[hz], np.linspace(0, 1, 21), color=f"C{INPUTS.index(hz)}")
    axis.set(
        xlabel="weight (of the largest)", ylabel="inputs", title=f"inputs at {hz} Hz: {np.mean(weights[hz] > 0.8):.0%} strong"
    )
    axes[3].semilogy(times[hz] / 1000, rates[hz], label=f"{hz} Hz")
axes[3].legend(frameon=False, title="inputs")
axes[3].set(xlabel="time (s)", ylabel="rate of the cell (Hz)", ylim=(10, 1000))
ratios = list(measured.values())
title = f"{ratios[1]:.0f} times faster at first, {ratios[0]:.1f} times after learning (published: nearly the same)"
figure.suptitle(f"With inputs at 40 instead of 15 Hz the cell fires {title}")
figure.savefig(Path(sys.argv[1]) / "song_2000.png") if sys.argv[1:] else plt.show()
