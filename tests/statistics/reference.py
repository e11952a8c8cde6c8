"""Writes elephant.json: spikes of two populations, and their statistics by Elephant 1.2.1 and NumPy."""
import json
import warnings

import neo
import numpy as np
import quantities as pq
from elephant.conversion import BinnedSpikeTrain
from elephant.signal_processing import cross_correlation_function
from elephant.spectral import welch_psd
from elephant.spike_train_correlation import correlation_coefficient
from elephant.statistics import cv, cv2, fanofactor, isi, lv, mean_firing_rate, time_histogram

warnings.filterwarnings('ignore')
DT, STEPS, LAGS = 0.1, 60000, 50
T = STEPS * DT * pq.ms

# Gamma processes with a common rhythm; B follows a part of the spikes of A after 3 ms.
random = np.random.default_rng(7)
time = np.arange(STEPS) * DT
rhythm = 1 + 0.9 * np.sin(2 * np.pi * 23 * time / 1000)


def train(rate_hz, shape):
    due = np.cumsum(random.gamma(shape, 1 / shape, STEPS // 10))
    return np.unique(np.searchsorted(np.cumsum(rate_hz * rhythm * DT / 1000), due))


of_a = [train(rate, 3) for rate in np.linspace(6, 20, 9)]
of_a.append(np.array([], dtype=int))
common = np.unique(np.concatenate(of_a))
of_b = []
for rate in np.linspace(3, 9, 6):
    followed = common[random.random(len(common)) < 0.05] + 30
    of_b.append(np.unique(np.concatenate([train(rate, 1), followed])))
of_b[5] = of_b[5][:3]
spikes = {name: [[int(step) for step in steps if step < STEPS] for steps in trains] for name, trains in [('A', of_a), ('B', of_b)]}

expected, rates = {}, {}
for name, trains in spikes.items():
    # In the middle of a step, so that no spike is at the limit of a bin.
    trains = [neo.SpikeTrain((np.array(steps) + 0.5) * DT * pq.ms, t_stop=T) for steps in trains]
    regular = [isi(one) for one in trains if len(one) >= 4]
    # Elephant's Fano factor compares trains; here the trains are the windows of a neuron, and the variance becomes that of a sample.
    windows = round(float(T) / 100)
    cut = [[one.time_slice(k * 100 * pq.ms, (k + 1) * 100 * pq.ms) for k in range(windows)] for one in trains if len(one) > 0]
    binned = BinnedSpikeTrain(trains, bin_size=5 * pq.ms, t_stop=T)
    counts = binned.to_array().astype(float)
    active = BinnedSpikeTrain([one for one in trains if len(one) > 0], bin_size=5 * pq.ms, t_stop=T)
    pairs = correlation_coefficient(active)
    pairs = pairs[np.triu_indices(len(pairs), 1)]
    steps = [np.diff(one) for one in spikes[name]]
    histogram = time_histogram(trains, bin_size=1 * pq.ms, t_stop=T, output='counts')
    hz = histogram.magnitude[:, 0] * 1000 / len(trains)
    rates[name] = hz
    signal = neo.AnalogSignal(hz[:, None] * pq.Hz, sampling_rate=1000 * pq.Hz)
    frequencies, power = welch_psd(signal, len_segment=1024, overlap=0.5, window='hann', detrend='constant')
    expected[name] = {
        'rate': np.mean([mean_firing_rate(one).rescale('Hz').item() for one in trains]),
        'cv': np.mean([cv(one) for one in regular]),
        'cv2': np.mean([cv2(one) for one in regular]),
        'lv': np.mean([lv(one) for one in regular]),
        'fano': np.mean([fanofactor(one) for one in cut]) * windows / (windows - 1),
        # Elephant has no such index: equation 1 of Golomb 2007 with counts.
        'synchrony': np.sqrt(counts.mean(axis=0).var() / counts.var(axis=1).mean()),
        'correlation_mean': pairs.mean(),
        'correlation_sd': pairs.std(),
        'intervals': np.histogram(np.minimum(np.concatenate(steps) // 10, 500), np.arange(502))[0].tolist(),
        # Bins are joined from 4096 on.
        'hz': hz.reshape(-1, 2).mean(axis=1).tolist(),
        'step_hz': float(frequencies[1] - frequencies[0]),
        'power': power.magnitude[0].tolist(),
    }

correlograms = {}
for one, other in [('A', 'A'), ('A', 'B'), ('B', 'B')]:
    both = neo.AnalogSignal(np.stack([rates[one], rates[other]], axis=1) * pq.Hz, sampling_rate=1000 * pq.Hz)
    found = cross_correlation_function(both, [0, 1], n_lags=LAGS, scaleopt='unbiased')
    # A positive lag of Elephant means that the first signal follows the second.
    correlograms[f'{one} {other}'] = found.magnitude[::-1, 0].tolist()

with open('elephant.json', 'w') as file:
    json.dump({'steps': STEPS, 'spikes': spikes, 'expected': expected, 'correlograms': correlograms}, file, separators=(',', ':'))
    file.write('\n')
