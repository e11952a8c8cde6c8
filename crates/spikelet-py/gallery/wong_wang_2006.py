"""Wong & Wang 2006, J Neurosci 26:1314: accuracy and time of decisions of the reduced network, with the parameters of the paper.

Published: choices without coherent motion are random and take hundreds of ms, with 51.2 % right and fast. A neuron is a trial.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"right at 0 %": (0.5, 0.05), "right at 51.2 %": (1, 0.005), "time at 0 % (ms)": (600, 300)}
coherences = [0, 3.2, 6.4, 12.8, 25.6, 51.2]
pool = """dS{0}/dt = -S{0}/(100*ms) + (1 - S{0})*0.641*r{0} : 1
dn{0}/dt = -n{0}/(2*ms) + 0.02*xi_{0}/(2*ms)**0.5 : 1
y{0} = 270*(0.2609*S{0} - 0.0497*S{1} + 0.3255 + 0.00052*30*(1 {2} c/100) + n{0}) - 108 : 1
r{0} = 1/(0.154*exprel(-0.154*y{0}))*Hz : Hz
dR{0}/dt = (r{0} - R{0})/(20*ms) : Hz"""
trial = {"name": "trial", "size": 6000, "threshold": "max(R1, R2) > 15*Hz", "refractory": "max(R1, R2) > 10*Hz"}
trial |= {"equations": "\n".join([pool.format(1, 2, "+"), pool.format(2, 1, "-"), "c : 1 (constant)"]), "method": "euler"}
trial |= {"parameters": {"c": np.repeat(coherences, 1000)}, "initial": {"S1": 0.1, "S2": 0.1, "R1": "2 Hz", "R2": "2 Hz"}}
simulation = spikelet.Simulation({"name": "decisions", "dt_ms": 0.5, "duration_ms": 2500, "populations": [trial]}, backend="cpu")
simulation.record("trial.R1", range(0, 6000, 100), every_ms=5)
simulation.run()
trace = simulation.trace("trial.R1")
times = np.array([train[0] if len(train) else 2500 for train in simulation.spikes().trains()]).reshape(6, 1000)
right = (simulation.get("trial.S1") > simulation.get("trial.S2")).reshape(6, 1000).mean(axis=1)
measured = {"right at 0 %": right[0], "right at 51.2 %": right[-1], "time at 0 % (ms)": times[0].mean()}

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
hz = 1000 * trace.values  # of kHz
axes[0].plot(trace.times, hz[:, :10], "C0", trace.times, hz[:, 50:], "C1", linewidth=0.7)
axes[0].set(xlabel="time (ms)", ylabel="rate of one pool (Hz)", title="trials: 0 % (blue), 51.2 % (orange)", xlim=(0, 1500))
axes[1].plot(coherences, right, "o-")
axes[1].set(xlabel="coherence (%)", ylabel="right choices", title=f"at 0 %: {right[0]:.2f} (0.5), at 51.2 %: {right[-1]:.2f} (1)")
axes[2].errorbar(coherences, times.mean(axis=1), times.std(axis=1), fmt="o-", capsize=3)
axes[2].set(xlabel="coherence (%)", ylabel="decision time (ms)", title=f"at 0 %: {times[0].mean():.0f} ms (hundreds of ms)")
figure.savefig(Path(sys.argv[1]) / "wong_wang_2006.png") if sys.argv[1:] else plt.show()
