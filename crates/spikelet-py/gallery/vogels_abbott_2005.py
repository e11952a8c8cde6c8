"""Vogels & Abbott 2005, J Neurosci 25:10786, in the size of Brette et al. 2007, J Comput Neurosci 23:349 (benchmark 1).

Published: without input the network keeps itself active, asynchronous and irregular, with long-tailed intervals between
spikes. Brian 2 and NEST run the benchmark at 19.1 Hz with a CV of 1.47.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"rate (Hz)": (19.1, 3), "CV of intervals": (1.47, 0.15)}
simulation = spikelet.Simulation("coba", backend="cpu", duration_ms=1000)
simulation.run()
spikes = simulation.spikes()
gaps = [np.diff(train[train > 200]) for train in spikes.trains()]
measured = {"rate (Hz)": (spikes.times > 200).sum() / spikes.size / 0.8}
measured["CV of intervals"] = np.mean([of.std() / of.mean() for of in gaps if len(of) > 2])

figure, axes = plt.subplot_mosaic("ac;bc", figsize=(11, 5.5), layout="constrained", width_ratios=[2, 1], height_ratios=[3, 1])
shown = spikes.neurons < 500
axes["a"].plot(spikes.times[shown], spikes.neurons[shown], ".", markersize=1.5)
axes["a"].set(ylabel="neuron", xlim=(500, 1000), ylim=(0, 500))
axes["b"].plot(*spikes.rates(2), linewidth=0.8)
axes["b"].set(xlabel="time (ms)", ylabel="mean rate (Hz)", xlim=(500, 1000))
axes["c"].hist(np.concatenate(gaps), np.geomspace(5, 1000, 60), density=True)
axes["c"].set(xscale="log", yscale="log", xlabel="interval between spikes (ms)", ylabel="density (1/ms)")
title = ", ".join(f"{name} {value:.2f} ({published[name][0]})" for name, value in measured.items())
figure.suptitle(f"A network that keeps itself active: {title}")
figure.savefig(Path(sys.argv[1]) / "vogels_abbott_2005.png") if sys.argv[1:] else plt.show()
