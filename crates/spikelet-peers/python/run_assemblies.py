"""Rounds of an assembly in NumPy: n = 10,000, k = 100, p = 0.01, beta = 0.1, a stimulus of k neurons, 20 rounds.

Synapses are rows of compressed sparse matrices by presynaptic neuron; a round visits the rows of the neurons that fire. Prints one JSON
object with the median time of a round."""

import json
import sys
import time

import numpy as np

N, K, P, BETA, ROUNDS = 10_000, 100, 0.01, 0.1, 20


def connect(random, pres):
    """The rows of presynaptic neurons: where each begins, and the postsynaptic neurons."""
    counts = random.binomial(N, P, pres)
    first = np.concatenate([[0], np.cumsum(counts)])
    return first, np.concatenate([np.sort(random.choice(N, count, replace=False)) for count in counts]).astype(np.int32)


def positions(first, pres):
    """Where the synapses of these neurons are."""
    begin, lengths = first[pres], first[pres + 1] - first[pres]
    return np.repeat(begin - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(lengths.sum())


def main():
    random = np.random.default_rng(int(sys.argv[1]))
    first, posts = connect(random, N)
    _, stimulus_posts = connect(random, K)
    weights, stimulus_weights = np.ones(len(posts), np.float32), np.ones(len(stimulus_posts), np.float32)
    winners, seconds, kept = np.empty(0, np.int64), [], 0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        inputs = np.bincount(stimulus_posts, stimulus_weights, N)
        if len(winners):
            active = positions(first, winners)
            inputs = inputs + np.bincount(posts[active], weights[active], N)
        new = np.sort(np.argsort(-inputs, kind="stable")[:K])
        is_new = np.zeros(N, bool)
        is_new[new] = True
        stimulus_weights[is_new[stimulus_posts]] *= 1 + BETA
        if len(winners):
            weights[active[is_new[posts[active]]]] *= 1 + BETA
        seconds.append(time.perf_counter() - start)
        kept, winners = len(np.intersect1d(new, winners)), new
    print(json.dumps({"seconds": float(np.median(seconds)), "values": {"kept": kept}, "version": "NumPy " + np.__version__}))


main()
