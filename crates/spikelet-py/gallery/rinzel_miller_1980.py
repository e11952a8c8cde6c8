"""Rinzel & Miller 1980, Math Biosci 49:27: rest and repetitive firing of the Hodgkin-Huxley cell against the current.

Published: repetitive firing exists from 6.26 uA/cm² on, and rest is stable up to 9.78: in between the cell does either.
Each current comes slowly; then one population has a weak pulse, which dies out where rest is stable, another one a strong pulse.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"firing from (uA/cm²)": (6.26, 0.05), "rest up to (uA/cm²)": (9.78, 0.1)}
currents = 5.5 + 0.05 * np.arange(111)
slow, pulse = "(5.5 + 0.05*i)*uA/cm**2*(1 - exp(-t/(50*ms)))", "uA/cm**2*int(t >= 500*ms)*int(t < 501*ms)"
given = {"weak": f"{slow} + 0.1*{pulse}", "strong": f"{slow} + 30*{pulse}"}
cells = [{"name": name, "size": 111, "model": "hodgkin_huxley", "parameters": {"I": current}} for name, current in given.items()]
network = {"name": "branches", "dt_ms": 0.02, "duration_ms": 1200, "populations": cells}

simulation = spikelet.Simulation(network, backend="cpu")
simulation.run(520)
simulation.record("weak.v", every_ms=0.2)
simulation.record("strong.v", every_ms=0.2)
simulation.run()
voltage = {name: simulation.trace(f"{name}.v").values for name in given}
rests = np.ptp(voltage["weak"][-100:], axis=0) < np.minimum(np.ptp(voltage["weak"][:100], axis=0), 1)
fires = voltage["strong"][-500:].max(axis=0) > 0
measured = {"firing from (uA/cm²)": currents[fires].min(), "rest up to (uA/cm²)": currents[rests].max()}

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
axes.plot(currents[fires], voltage["strong"][-500:].max(axis=0)[fires], "o", markersize=4, label="repetitive firing: peaks")
axes.plot(currents[rests], voltage["weak"][-1][rests], ".", label="stable rest")
for key, value in measured.items():
    axes.axvline(value, color="gray", linestyle=":")
    axes.text(value + 0.05, -40, f"{key.split(' (')[0]}\n{value:.2f} ({published[key][0]})")
axes.legend(frameon=False, loc=(0.3, 0.5))
axes.set(xlabel="current (µA/cm²)", ylabel="v (mV)", title="Hodgkin-Huxley cell: rest and firing, measured (published)")
figure.savefig(Path(sys.argv[1]) / "rinzel_miller_1980.png") if sys.argv[1:] else plt.show()
