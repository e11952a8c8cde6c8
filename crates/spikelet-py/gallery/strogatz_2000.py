"""Strogatz 2000, Physica D 143:1: coherence of Kuramoto's coupled oscillators against the coupling.

Published: for natural frequencies with a Lorentzian distribution of width 1/2 it is 0 up to K = 1, and then sqrt(1 - 1/K).
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

couplings = [0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3]
published = {f"coherence at K = {K}": ((1 - 1 / K) ** 0.5, 0.05) for K in (1.25, 1.5, 2, 3)} | {"coherence at K = 0.5": (0, 0.05)}
oscillator = {"name": "oscillator", "size": 2000, "linked": {of: {"population": "field", "var": of} for of in ("C", "S")}}
oscillator |= {"equations": "dtheta/dt = (omega + K*(S*cos(theta) - C*sin(theta)))/ms : 1\nC : 1 (linked)\nS : 1 (linked)"}
oscillator |= {"parameters": {"omega": "0.5*tan(pi*((i + 0.5)/N - 0.5))", "K": 0}, "initial": {"theta": "2*pi*rand()"}}
mean = {"pre": "oscillator", "post": "field", "connect": {"rule": "all"}, "delay_ms": 0}
mean |= {"equations": "C_post = cos(theta_pre)/N_pre : 1 (summed)\nS_post = sin(theta_pre)/N_pre : 1 (summed)"}
populations = [{"name": "field", "size": 1, "equations": "C : 1\nS : 1"}, oscillator]
network = {"name": "Kuramoto", "dt_ms": 0.05, "duration_ms": 660, "populations": populations, "projections": [mean]}

recordings = [{"object": "field", "var": of, "indices": [0]} for of in "CS"]
simulation = spikelet.Simulation(network | {"recordings": recordings}, backend="cpu")
coherence = []
for K in couplings:
    simulation.set("oscillator.K", K)
    simulation.run(60)
    x, y = (simulation.trace(f"field.{of}").values[-600:, 0] for of in "CS")
    coherence.append(float(np.hypot(x, y).mean()))
measured = {f"coherence at K = {K}": value for K, value in zip(couplings, coherence, strict=True)}

figure, axes = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
fine = np.linspace(0.01, 3, 400)
axes.plot(fine, (1 - 1 / fine).clip(0) ** 0.5, label="published: $\\sqrt{1 - 1/K}$")
axes.plot(couplings, coherence, "o", label="measured, 2000 oscillators")
axes.legend(frameon=False, title=f"at K = 2: {coherence[8]:.3f} (0.707)")
axes.set(xlabel="coupling K", ylabel="coherence r", title="Coherence of Kuramoto's oscillators")
figure.savefig(Path(sys.argv[1]) / "strogatz_2000.png") if sys.argv[1:] else plt.show()
