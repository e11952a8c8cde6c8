"""Diesmann, Gewaltig & Aertsen 1999, Nature 402:529: volleys in a synfire chain, in the plane of their width and size.

Published: volleys of enough spikes, narrow enough, come to all 100 cells of a pool within less than 1 ms; others die out.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spikelet

published = {"size of lasting volleys": (100, 10), "their width (ms)": (0.5, 0.5)}
volleys = [(width, size) for width in (0.0, 1.5, 3.0, 4.5) for size in (40, 55, 70, 85, 100)]
random = np.random.default_rng(1)
network = spikelet.catalogue("synfire")
packets = [[i, 50 + 100 * row + width * random.normal()] for row, (width, size) in enumerate(volleys) for i in range(size)]
network["sources"][0]["spike_times_ms"] = packets
simulation = spikelet.Simulation(network, backend="cpu", duration_ms=2050)
simulation.run()
spikes = simulation.spikes("chain")
paths = np.zeros((20, 11, 2))
paths[:, 0] = volleys
for row, pool in np.ndindex(20, 10):
    since = spikes.times - 50 - 100 * row
    times = since[(spikes.neurons // 100 == pool) & (since > 0) & (since < 80)]
    near = times[abs(times - np.median(times)) < 8]
    paths[row, pool + 1] = np.subtract(*np.percentile(near, [75, 25])) / 1.349, len(near)
lasts = paths[:, -1, 1] > 50
width, size = np.median(paths[lasts, -1], axis=0)
measured = {"size of lasting volleys": size, "their width (ms)": width}

figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
for path, last in zip(paths, lasts, strict=True):
    axes.plot(*path[path[:, 1] > 20].T, ".-", color="C0" if last else "C1", linewidth=0.8)
axes.plot(*paths[:, 0].T, "ko")
axes.set(xlabel="width of the volley (ms); black: the first one", ylabel="spikes in the volley", ylim=(0, 115))
axes.set_title(f"{lasts.sum()} of 20 volleys last: {size:.0f} spikes, {width:.2f} ms (published: 100, < 1 ms)")
figure.savefig(Path(sys.argv[1]) / "diesmann_1999.png") if sys.argv[1:] else plt.show()
