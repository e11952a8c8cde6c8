"""Potjans & Diesmann 2014, Cereb Cortex 24:785, figure 6: spontaneous activity of the layers of a cortical column.

Published, for 77,169 neurons: the rates below (Hz). Here a tenth of the neurons, with the inputs that keep mean and variance.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import spikelet

RATES = {"L23E": 0.86, "L23I": 2.80, "L4E": 4.45, "L4I": 5.93, "L5E": 7.59, "L5I": 8.64, "L6E": 1.09, "L6I": 7.88}
published = {f"{name} (Hz)": (rate, 0.4 + 0.2 * rate) for name, rate in RATES.items()}
simulation = spikelet.Simulation(spikelet.catalogue("pd14", scale=0.1), backend="cpu", duration_ms=1000)
simulation.run()
spikes = {name: simulation.spikes(name) for name in RATES}
measured = {f"{name} (Hz)": (of.times > 300).sum() / of.size / 0.7 for name, of in spikes.items()}

figure, (raster, bars) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained", width_ratios=[2, 1])
above = 0
for name, of in spikes.items():
    color = "tab:red" if name.endswith("I") else "tab:blue"
    raster.plot(of.times, above + of.neurons, ".", markersize=1, color=color)
    raster.text(1005, above + of.size / 2, name, color=color, va="center")
    above += of.size
raster.set(xlabel="time (ms)", ylabel="neuron", xlim=(600, 1000), ylim=(above, 0), title="spikes (E blue, I red)")
places = range(8)
bars.barh(places, measured.values(), color=["tab:blue", "tab:red"] * 4, label="measured, a tenth of the neurons")
bars.plot(RATES.values(), places, "kD", markersize=5, label="published, full size")
bars.set_yticks(places, RATES.keys())
bars.invert_yaxis()
bars.set(xlabel="mean rate (Hz)")
bars.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.16))
figure.savefig(Path(sys.argv[1]) / "potjans_diesmann_2014.png") if sys.argv[1:] else plt.show()
