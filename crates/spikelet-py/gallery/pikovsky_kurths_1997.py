"""Pikovsky & Kurths 1997, Phys Rev Lett 78:775: noise of middle strength makes an excitable cell regular.

Published: the intervals between spikes vary least at a noise amplitude D of about 0.07. Time is in units of the paper.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"D of the most regular firing": (0.07, 0.025)}
noise = np.geomspace(0.02, 0.28, 16)
cell = {"name": "cell", "size": 16 * 20, "method": "euler", "threshold": "x > 1", "refractory": "x > 0"}
cell |= {"equations": "dx/dt = (x - x**3/3 - y)/(0.01*ms) : 1\ndy/dt = (x + 1.05)/ms + D*xi/ms**0.5 : 1\nD : 1 (constant)"}
cell |= {"parameters": {"D": np.repeat(noise, 20)}, "initial": {"x": -1.05, "y": -0.66}}
network = {"name": "coherence", "dt_ms": 0.001, "duration_ms": 200, "populations": [cell]}

simulation = spikelet.Simulation(network, backend="cpu")
shown = [0, 7, 15]
simulation.record("cell.x", [20 * index for index in shown], every_ms=0.02)
simulation.run()
gaps = [np.diff(train) for train in simulation.spikes().trains()]
pooled = [np.concatenate(gaps[20 * index : 20 * index + 20]) for index in range(16)]
irregularity = np.array([of.std() / of.mean() for of in pooled])
fit = np.polynomial.Polynomial.fit(np.log(noise), irregularity, 5)
fine = np.geomspace(0.02, 0.28, 500)
measured = {"D of the most regular firing": fine[fit(np.log(fine)).argmin()]}

figure, axes = plt.subplot_mosaic("ad;bd;cd", figsize=(10, 5), layout="constrained", width_ratios=[3, 2])
trace = simulation.trace("cell.x")
for axis, index, values in zip("abc", shown, trace.values.T, strict=True):
    axes[axis].plot(trace.times, values, linewidth=0.7)
    axes[axis].set(xlabel="time", ylabel="x", title=f"D = {noise[index]:.2f}", xlim=(0, 60))
axes["d"].plot(noise, irregularity, "o", fine, fit(np.log(fine)), "gray")
axes["d"].set(xlabel="amplitude of the noise D", ylabel="CV of the intervals")
figure.suptitle(f"Coherence resonance: most regular at D = {fine[fit(np.log(fine)).argmin()]:.3f} (published: about 0.07)")
figure.savefig(Path(sys.argv[1]) / "pikovsky_kurths_1997.png") if sys.argv[1:] else plt.show()
