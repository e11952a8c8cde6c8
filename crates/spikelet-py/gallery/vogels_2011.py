"""Vogels, Sprekeler, Zenke, Clopath & Gerstner 2011, Science 334:1569: inhibitory plasticity balances a network.

Published: from fast, regular firing the network comes to asynchronous irregular activity near the target rate of the rule.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"rate (Hz), target 5 Hz": (5, 1), "CV of intervals": (1, 0.3)}
simulation = spikelet.Simulation(spikelet.catalogue("istdp_balance") | {"recordings": []}, backend="cpu", duration_ms=6000)
simulation.record("IE.w", range(0, 50_000, 100), every_ms=50)
simulation.run()
spikes = simulation.spikes("E")
gaps = [np.diff(train[train > 2000]) for train in spikes.trains()]
irregularity = np.mean([of.std() / of.mean() for of in gaps if len(of) > 5])
measured = {"rate (Hz), target 5 Hz": (spikes.times > 2000).sum() / spikes.size / 4, "CV of intervals": irregularity}

figure, axes = plt.subplot_mosaic("ab;cc;dd", figsize=(9, 7), layout="constrained", height_ratios=[2, 1, 1])
for name, start in {"a": 0, "b": 5800}.items():
    shown = (spikes.neurons < 200) & (spikes.times >= start) & (spikes.times < start + 200)
    axes[name].plot(spikes.times[shown], spikes.neurons[shown], ".", markersize=3)
    axes[name].set(xlabel="time (ms)", ylabel="neuron", title="before" if start == 0 else "after")
times, rates = spikes.rates(50)
axes["c"].semilogy(times / 1000, rates, times / 1000, np.full(len(times), 5), ":")
axes["c"].set(xlabel="time (s)", ylabel="rate (Hz)")
trace = simulation.trace("IE.w")
axes["d"].plot(trace.times / 1000, trace.values.mean(axis=1))
axes["d"].set(xlabel="time (s)", ylabel="mean weight (nS)")
title = f"{measured['rate (Hz), target 5 Hz']:.1f} Hz (target: 5 Hz), CV {irregularity:.2f} (published: about 1)"
figure.suptitle(f"Inhibition learns to balance: {title}")
figure.savefig(Path(sys.argv[1]) / "vogels_2011.png") if sys.argv[1:] else plt.show()
