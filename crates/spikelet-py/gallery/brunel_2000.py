"""Brunel 2000, J Comput Neurosci 8:183, figure 8: the four states of a sparse network of 12,500 neurons.

Published (simulations): B, fast: 60.7 Hz, on a global rhythm of 180 Hz; C, asynchronous: 37.7 Hz; D, slow: 5.5 Hz on 22 Hz.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

STATES = {"A": ("sr", 50), "B": ("si_fast", 150), "C": ("ai", 150), "D": ("si_slow", 500)}
published = {"B rate": (60.7, 3), "B rhythm": (180, 15), "C rate": (37.7, 2), "D rate": (5.5, 1), "D rhythm": (22, 5)}
measured = {}

figure, axes = plt.subplots(2, 4, figsize=(12, 5.5), layout="constrained", sharex="col", height_ratios=[2, 1])
for (letter, (name, duration_ms)), (raster, curve) in zip(STATES.items(), axes.T, strict=True):
    simulation = spikelet.Simulation(f"brunel_{name}", backend="cpu", duration_ms=50 + duration_ms)
    simulation.run()
    spikes = simulation.spikes("E")
    times, rates = spikes.rates(0.5)
    late = rates[times >= 50]
    power = np.abs(np.fft.rfft((late - late.mean()) * np.hanning(len(late)), 8192)) ** 2
    rhythm = np.fft.rfftfreq(8192, 0.0005)[power.argmax()]
    measured |= {f"{letter} rate": late.mean(), f"{letter} rhythm": rhythm}
    shown = spikes.neurons < 50
    raster.plot(spikes.times[shown], spikes.neurons[shown], "|", markersize=4)
    curve.fill_between(times, rates, step="post")
    rate = f"{late.mean():.1f} ({published[f'{letter} rate'][0]}) Hz" if letter != "A" else f"{late.mean():.0f} Hz"
    global_ = f",\nrhythm {rhythm:.0f} ({published[f'{letter} rhythm'][0]}) Hz" if letter in "BD" else ""
    raster.set_title(f"{letter}  {rate}{global_}", fontsize=10)
    curve.set(xlabel="time (ms)", xlim=(50, 50 + min(duration_ms, 150)))
axes[0, 0].set_ylabel("neuron")
axes[1, 0].set_ylabel("rate (Hz)")
figure.suptitle("States of a sparse network: measured (published)")
figure.savefig(Path(sys.argv[1]) / "brunel_2000.png") if sys.argv[1:] else plt.show()
