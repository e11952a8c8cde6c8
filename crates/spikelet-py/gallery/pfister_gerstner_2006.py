"""Pfister & Gerstner 2006, J Neurosci 26:9673, its figure of frequencies: triplet rule (visual cortex, minimal, all spikes).

Published (Sjostrom, Turrigiano & Nelson 2001, Neuron 32:1149): changes of the weight by 60 pairs at
0.1 to 50 Hz, with standard errors; the rule was made to explain them.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"points within two standard errors": (10, 0)}
rates = np.array([0.1, 10, 20, 40, 50])
DATA = {-10: ([-0.29, -0.41, -0.34, 0.56, 0.75], [0.08, 0.11, 0.1, 0.32, 0.19])}
DATA |= {10: ([-0.04, 0.14, 0.29, 0.53, 0.56], [0.05, 0.1, 0.14, 0.11, 0.26])}
delays = np.repeat(list(DATA), 5)
times = 50 + 1000 / np.tile(rates, 2)[:, None] * np.arange(60)
spikes = {side: times + shift[:, None] for side, shift in {"pre": np.maximum(-delays, 0), "post": np.maximum(delays, 0)}.items()}
sources = [{"name": s, "size": 10, "spike_times_ms": [[i, t] for i in range(10) for t in of[i]]} for s, of in spikes.items()]
rule = {"name": "rule", "pre": "pre", "post": "post", "connect": {"rule": "one_to_one"}, "delay_ms": 0, "model": "stdp_triplet"}
rule |= {"preset": "visual_cortex_minimal", "initial": {"w": 1}, "parameters": {"w_max": 10}}
rule |= {"on_pre": "w = clip(w - y1*(A2_minus + A3_minus*x2), 0, w_max); x1 += 1; x2 += 1"}
network = {"name": "pairs", "dt_ms": 0.5, "duration_ms": 600_500, "sources": sources, "projections": [rule]}

simulation = spikelet.Simulation(network, backend="cpu")
simulation.run()
change = simulation.get("rule.w").reshape(2, 5) - 1
close = sum(abs(change[row] - DATA[shift][0]) <= 2 * np.array(DATA[shift][1]) for row, shift in enumerate(DATA))
measured = {"points within two standard errors": int(close.sum())}

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for row, (shift, (mean, error)) in enumerate(DATA.items()):
    axes.errorbar(rates, mean, error, fmt="o", color=f"C{row}", capsize=3, label=f"experiment, {shift:+d} ms")
    axes.plot(rates, change[row], "-", color=f"C{row}", label=f"triplet rule, {shift:+d} ms")
axes.legend(frameon=False, title=f"post after pre by\n({close.sum()} of 10 within two errors)")
axes.set(xlabel="rate of the pairs (Hz)", ylabel="relative change of the weight")
figure.savefig(Path(sys.argv[1]) / "pfister_gerstner_2006.png") if sys.argv[1:] else plt.show()
