"""Hodgkin & Huxley 1952, J Physiol 117:500, figure 15: the propagated action potential at 18.5 °C.

Published: the equations give a conduction velocity of 18.8 m/s; 21.2 m/s were found in the axon.
The cable has compartments of 0.5 mm; its radius and the resistance of the axoplasm are those of the paper.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"velocity (m/s)": (18.8, 0.4)}
radius_cm, axoplasm_kohm_cm, length_cm = 0.0238, 0.0354, 0.05
faster = "\n".join(f"d{gate}/dt = 3**1.22*(a{gate}*(1 - {gate}) - b{gate}*{gate}) : 1" for gate in "mhn")
axon = {"name": "axon", "size": 120, "model": "hodgkin_huxley"}
axon |= {"equations": faster + "\nI_axial : amp/meter**2\nI_syn = I_axial : amp/meter**2"}
axon |= {"parameters": {"I": "1000*uA/cm**2*int(i < 2)*int(t < 0.3*ms)"}}
cable = {"pre": "axon", "post": "axon", "connect": {"rule": "condition", "condition": "abs(i - j) == 1"}, "delay_ms": 0}
cable |= {"equations": "I_axial_post = g*(v_pre - v_post) : amp/meter**2 (summed)"}
cable |= {"parameters": {"g": f"{radius_cm / (2 * axoplasm_kohm_cm * length_cm**2)} mS/cm**2"}}
network = {"name": "squid axon", "dt_ms": 0.001, "duration_ms": 6, "populations": [axon], "projections": [cable]}

simulation = spikelet.Simulation(network, backend="cpu")
simulation.record("axon.v", every_ms=0.01)
simulation.run()
trace = simulation.trace("axon.v")
peaks = trace.times[trace.values.argmax(axis=0)]
measured = {"velocity (m/s)": float(np.polyfit(peaks[30:90], 0.5 * np.arange(30, 90), 1)[0])}

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for index in range(20, 101, 20):
    axes.plot(trace.times, trace.values[:, index] + 65, label=f"{index / 20:.0f} cm")
axes.legend(title="distance along the axon", frameon=False)
axes.set(xlabel="time (ms)", ylabel="depolarisation (mV)", xlim=(0, 6))
axes.set_title(f"Propagated action potential: {measured['velocity (m/s)']:.1f} m/s (published: 18.8 m/s)")
figure.savefig(Path(sys.argv[1]) / "hodgkin_huxley_1952.png") if sys.argv[1:] else plt.show()
