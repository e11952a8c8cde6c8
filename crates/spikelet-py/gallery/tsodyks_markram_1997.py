"""Tsodyks & Markram 1997, PNAS 94:719, figure 1; Markram, Wang & Tsodyks 1998, PNAS 95:5323: depression, facilitation.

Published: stationary responses of depressing synapses fall as 1/f; those of facilitating ones peak at 1/sqrt(U tau_f tau_d).
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

KINDS, published = ("depressing", "facilitating"), {"depressing: exponent of f": (-1, 0.05), "facilitating: peak (Hz)": (22, 2)}
rates = np.geomspace(1, 100, 81)
spikes = [[index, 50 + 1000 / rate * k] for index, rate in enumerate(rates) for k in range(int(5 * rate) + 8)]
needs = "dI_stp/dt = -I_stp/(3*ms) : amp\nI_syn = I_stp : amp"
cell = {"size": 81, "model": "lif", "equations": needs, "parameters": {"Vt": "1 volt", "tau": "30 ms"}}
synapse = {"pre": "pre", "connect": {"rule": "one_to_one"}, "model": "tsodyks_markram"}
pre = {"name": "pre", "size": 81, "spike_times_ms": spikes}
network = {"name": "two synapses", "dt_ms": 0.1, "duration_ms": 9000, "sources": [pre]}
network["populations"] = [cell | {"name": kind} for kind in KINDS]
network["projections"] = [synapse | {"name": f"to_{kind}", "post": kind, "preset": kind} for kind in KINDS]

simulation = spikelet.Simulation(network, backend="cpu")
for kind in KINDS:
    simulation.record(f"{kind}.v", np.argmin(abs(rates - 20)), every_ms=1)
simulation.run()
tables = {kind: simulation.synapses(f"to_{kind}") for kind in KINDS}  # u, x: after the last spike, which takes u of x
response = {kind: table["u"] * table["x"] / (1 - table["u"]) for kind, table in tables.items()}
measured = {"depressing: exponent of f": np.polyfit(np.log(rates[50:]), np.log(response["depressing"][50:]), 1)[0]}
measured["facilitating: peak (Hz)"] = rates[response["facilitating"].argmax()]

figure, axes = plt.subplots(2, 2, figsize=(10, 5.5), layout="constrained")
for (left, right), kind, (key, value) in zip(axes, KINDS, measured.items(), strict=True):
    simulation.trace(f"{kind}.v").plot(left)
    left.set(ylabel="v (mV)", xlim=(0, 1000), title=f"{kind}, 20 Hz")
    right.loglog(rates, response[kind], label="stationary release")
    right.set(xlabel="rate of spikes (Hz)", ylabel="stationary release", title=f"{key}: {value:.3g} ({published[key][0]})")
figure.savefig(Path(sys.argv[1]) / "tsodyks_markram_1997.png") if sys.argv[1:] else plt.show()
