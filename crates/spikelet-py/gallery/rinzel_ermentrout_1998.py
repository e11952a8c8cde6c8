"""Rinzel & Ermentrout 1998, in Methods in Neuronal Modeling, ch. 7: rates of the two types of the Morris-Lecar cell.

Published: class 2 fires from 88.3 uA/cm² on, at a finite rate; class 1 from 39.96 on, with a rate that starts from 0
as the square root of the current above the onset.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"class 2 onset": (88.3, 0.2), "class 1 onset": (39.96, 0.1), "class 1 exponent": (0.5, 0.1)}
currents = {"hopf": 86 + 0.1 * np.arange(150), "snlc": 39.5 + 0.05 * np.arange(150)}
cells = [{"name": name, "size": 150, "model": "morris_lecar", "preset": name} for name in currents]
for cell in cells:
    cell["parameters"] = {"I": {"values": currents[cell["name"]], "unit": "uA/cm**2"}}
network = {"name": "two types", "dt_ms": 0.1, "duration_ms": 4000, "populations": cells}

simulation = spikelet.Simulation(network, backend="cpu")
simulation.run()
rates = {}
for name in currents:
    late = [train[train > 1000] for train in simulation.spikes(name).trains()]
    rates[name] = np.array([1000 / np.diff(train).mean() if len(train) > 1 else 0.0 for train in late])
onset = {name: float(currents[name][rates[name] > 0].min()) for name in currents}
near = (rates["snlc"] > 0) & (currents["snlc"] < 42)
slope = np.polyfit(np.log(currents["snlc"][near] - 39.96), np.log(rates["snlc"][near]), 1)[0]
measured = {"class 2 onset": onset["hopf"], "class 1 onset": onset["snlc"], "class 1 exponent": float(slope)}

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for axis, (name, kind) in zip(axes, {"hopf": "class 2", "snlc": "class 1"}.items(), strict=True):
    axis.plot(currents[name], rates[name], ".-", linewidth=0.8)
    axis.set(xlabel="current (µA/cm²)", title=f"{kind}: from {onset[name]:.2f} ({published[kind + ' onset'][0]}) µA/cm²")
axes[0].set_ylabel("rate (Hz)")
axes[1].text(43, 2, f"exponent {slope:.2f} (0.5)")
figure.suptitle("Types of the Morris-Lecar cell: measured (published)")
figure.savefig(Path(sys.argv[1]) / "rinzel_ermentrout_1998.png") if sys.argv[1:] else plt.show()
