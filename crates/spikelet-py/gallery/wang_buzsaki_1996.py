"""Wang & Buzsaki 1996, J Neurosci 16:6402: interneurons that inhibit each other synchronise in the gamma range.

Published: 100 cells with a drive of 1 uA/cm² fire together at about 40 Hz. It takes a least number of inputs per cell, some tens.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"rate (Hz)": (40, 4), "coherence, 10 inputs": (0, 0.15), "coherence, 100 inputs": (1, 0.2)}
cell = {"name": "cell", "size": 100, "model": "wang_buzsaki", "initial": {"v": "uniform(-70 mV, -50 mV)"}}
cell |= {"parameters": {"I": "normal(1, 0.01)*uA/cm**2"}}
gate = "ds/dt = 12*(1 - s)/(1 + exp(-v/(2*mV)))/ms - 0.1*s/ms : 1"
cell |= {"equations": f"{gate}\ns_in : 1\nI_syn = 0.1*mS/cm**2*s_in*(-75*mV - v) : amp/meter**2"}
network = {"name": "gamma", "dt_ms": 0.05, "duration_ms": 800, "populations": [cell]}
coherence, spikes = {}, {}
for inputs in (10, 25, 40, 55, 70, 100):
    synapse = {"pre": "cell", "post": "cell", "connect": {"rule": "bernoulli", "p": inputs / 100}, "delay_ms": 0}
    synapse |= {"equations": f"s_in_post = s_pre/{inputs} : 1 (summed)"}
    simulation = spikelet.Simulation(network | {"projections": [synapse]}, backend="cpu")
    simulation.run()
    spikes[inputs] = simulation.spikes()
    trains = np.array([np.histogram(train, np.arange(300, 801, 2.5))[0] > 0 for train in spikes[inputs].trains()], float)
    together = trains @ trains.T / np.sqrt(np.outer(trains.sum(axis=1), trains.sum(axis=1)).clip(1))
    coherence[inputs] = (together.sum() - np.trace(together)) / 9900
measured = {f"coherence, {inputs} inputs": coherence[inputs] for inputs in (10, 100)}
measured["rate (Hz)"] = 1000 / np.diff(spikes[100].trains()[0][-10:]).mean()

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for axis, inputs in zip(axes, (10, 100), strict=False):
    spikes[inputs].plot(axis)
    axis.set(title=f"{inputs} inputs per cell", xlabel="time (ms)", ylabel="cell", xlim=(500, 800))
axes[2].plot(coherence.keys(), coherence.values(), "o-")
axes[2].set(xlabel="inputs per cell", ylabel="coherence κ of pairs", ylim=(0, 1))
figure.suptitle(f"Interneurons in the gamma range: {measured['rate (Hz)']:.0f} Hz (published: about 40 Hz)")
figure.savefig(Path(sys.argv[1]) / "wang_buzsaki_1996.png") if sys.argv[1:] else plt.show()
