"""Compte, Brunel, Goldman-Rakic & Wang 2000, Cereb Cortex 10:910: a bump of activity remembers the place of a cue.

Published: after a cue of 250 ms the bump stays at its place for seconds, at peak rates of 20 to 40 Hz, and drifts a little.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"peak rate (Hz)": (30, 10), "drift within 2.4 s (degrees)": (0, 20)}
simulation = spikelet.Simulation("ring", backend="cpu", duration_ms=3000)
simulation.run()
spikes = simulation.spikes("E")
angles = spikes.neurons * 360 / spikes.size
starts = np.arange(600, 3000, 100)
places = []
for start in starts:
    inside = angles[(spikes.times >= start) & (spikes.times < start + 100)]
    places.append(np.degrees(np.angle(np.exp(1j * np.radians(inside)).mean())) % 360)
late = angles[spikes.times >= 1000]
profile = np.histogram(late, np.arange(0, 361, 7.5))[0] / 2 / (spikes.size / 48)
measured = {"peak rate (Hz)": profile.max(), "drift within 2.4 s (degrees)": places[-1] - places[0]}

figure, (raster, rates) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained", width_ratios=[3, 1], sharey=True)
raster.plot(spikes.times, angles, ".", markersize=1)
raster.plot(starts + 50, places, color="tab:red", label="place of the bump")
raster.axvspan(300, 550, color="gold", alpha=0.4, label="cue at 180°")
raster.legend(loc="upper right")
raster.set(xlabel="time (ms)", ylabel="preferred angle (degrees)", xlim=(0, 3000), ylim=(0, 360), yticks=range(0, 361, 90))
rates.plot(profile, np.arange(3.75, 360, 7.5))
rates.set(xlabel="rate after the cue (Hz)")
title = f"{profile.max():.0f} Hz (published: 20 to 40 Hz), drift {measured['drift within 2.4 s (degrees)']:.0f}° in 2.4 s"
figure.suptitle(f"A ring of cells remembers a place: {title}")
figure.savefig(Path(sys.argv[1]) / "compte_2000.png") if sys.argv[1:] else plt.show()
