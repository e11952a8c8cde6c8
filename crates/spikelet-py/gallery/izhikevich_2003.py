"""Izhikevich 2003, IEEE Trans Neural Netw 14:1569, figure 3: 1000 pulse-coupled cortical neurons.

Published: rhythms in the alpha range, around 10 Hz, and bursts in the gamma range, around 40 Hz.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"alpha rhythm (Hz)": (10, 3), "gamma rhythm (Hz)": (40, 10)}
simulation = spikelet.Simulation("izhikevich", backend="cpu", duration_ms=60_000)
simulation.run()
spikes = simulation.spikes()
times, rates = spikes.rates(1)
pieces = (rates - rates.mean()).reshape(-1, 1000) * np.hanning(1000)
power = (np.abs(np.fft.rfft(pieces, axis=1)) ** 2).mean(axis=0)
frequencies = np.fft.rfftfreq(1000, 0.001)
peaks = {}
for name, (low, high) in {"alpha": (5, 20), "gamma": (25, 80)}.items():
    band = (frequencies >= low) & (frequencies <= high)
    peaks[name] = frequencies[band][(power * frequencies)[band].argmax()]
measured = {f"{name} rhythm (Hz)": float(peak) for name, peak in peaks.items()}

figure, (raster, spectrum) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", width_ratios=[2, 1])
first = spikes.times < 1000
raster.plot(spikes.times[first], spikes.neurons[first], ".", markersize=1.5)
raster.axhline(800, color="gray", linewidth=0.8)
raster.set(xlabel="time (ms)", ylabel="neuron (inhibitory from 800)", xlim=(0, 1000), ylim=(0, 1000))
spectrum.semilogy(frequencies[2:80], power[2:80])
for name, peak in peaks.items():
    spectrum.axvline(peak, linestyle=":", color="gray")
    spectrum.text(peak + 1, power[2:80].max() / (1 + peak / 40), f"{name}: {peak:.0f} Hz")
spectrum.set(xlabel="frequency (Hz)", ylabel="power of the mean rate (Hz²)")
title = ", ".join(f"{name}: {value:.0f} (published: around {published[name][0]})" for name, value in measured.items())
figure.suptitle(title)
figure.savefig(Path(sys.argv[1]) / "izhikevich_2003.png") if sys.argv[1:] else plt.show()
