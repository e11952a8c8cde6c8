"""Izhikevich 2004, IEEE Trans Neural Netw 15:1063, figure 1: twenty firing patterns of one model.

Published: the number of spikes in each panel, as the author's script of the figure (figure1.m) draws them.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import spikelet

# Name, spikes, time (ms) and step (ms) of each panel, from A to T.
PANELS = """tonic_spiking 5 100 .25, phasic_spiking 1 200 .25, tonic_bursting 28 220 .25, phasic_bursting 6 200 .2,
mixed_mode 6 160 .25, adaptation 6 85 .25, class_1 10 300 .25, class_2 14 300 .25, spike_latency 1 100 .2,
subthreshold_oscillations 1 200 .25, resonator 1 400 .25, integrator 1 100 .25, rebound_spike 1 200 .2,
rebound_burst 7 200 .2, threshold_variability 1 100 .25, bistability 5 300 .25, depolarizing_afterpotential 1 50 .1,
accommodation 1 400 .5, inhibition_induced_spiking 3 350 .5, inhibition_induced_bursting 12 350 .5"""
measured, published = {}, {}

figure, axes = plt.subplots(5, 4, figsize=(11, 9), layout="constrained")
for axis, letter, panel in zip(axes.flat, "ABCDEFGHIJKLMNOPQRST", PANELS.split(","), strict=True):
    name, spikes, duration_ms, dt_ms = panel.split()
    cell = {"name": "cell", "size": 1, "model": "izhikevich", "preset": name}
    network = {"name": name, "dt_ms": float(dt_ms), "duration_ms": float(duration_ms), "populations": [cell]}
    simulation = spikelet.Simulation(network, backend="cpu")
    simulation.record("cell.v")
    simulation.run()
    measured[name], published[name] = len(simulation.spikes()), (int(spikes), 0)
    trace = simulation.trace("cell.v")
    axis.plot(trace.times, trace.values.clip(max=30), linewidth=0.8)
    axis.set_title(f"{letter}  {name.replace('_', ' ')}: {measured[name]} ({spikes})", fontsize=8)
    axis.set(ylim=(-95, 35))
figure.supxlabel("time (ms)")
figure.supylabel("v (mV)")
figure.suptitle("Twenty firing patterns: spikes measured (published)")
figure.savefig(Path(sys.argv[1]) / "izhikevich_2004.png") if sys.argv[1:] else plt.show()
