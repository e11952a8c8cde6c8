"""An epoch of training of a feed-forward network of leaky integrate-and-fire neurons with exponential currents, in three frameworks.

    run_training.py snntorch|norse|spyx yin-yang|random-spikes THREADS SEED

`training/*.json` beside this folder has the same networks: neurons, steps, samples, batches of 32, Adam, cross-entropy of the largest
potential of each readout. Input is a dense array of spikes by step, made before the measurement. Prints one JSON object with the time of the
second epoch and the accuracy in it."""

import json
import math
import os
import sys
import time

FRAMEWORK, TASK, THREADS, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for variable in ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:
    os.environ[variable] = str(THREADS)
if FRAMEWORK == "spyx" and THREADS == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import numpy as np

# steps, dt in ms, inputs, hidden neurons, outputs, samples, time constants of potential and current in ms, mean and deviation of weights
TASKS = {
    "yin-yang": dict(steps=250, dt=0.2, sizes=(5, 200, 3), samples=5000, taus=(20.0, 5.0), weights=((1.5, 0.78), (0.0, 0.1))),
    "random-spikes": dict(steps=100, dt=1.0, sizes=(700, 128, 20), samples=1024, taus=(20.0, 10.0), weights=((0.0, 0.2), (0.0, 0.3))),
}
BATCH, RATE, SLOPE = 32, 5e-3, 10.0


def yin_yang(random, task):
    """Points of the symbol as times of four spikes, with a fifth at the start."""
    big, small, points, labels = 0.5, 0.1, [], []
    while len(points) < task["samples"]:
        goal = random.integers(3)
        while True:
            x, y = random.random(2) * 2 * big
            if math.hypot(x - big, y - big) > big:
                continue
            right, left = math.hypot(x - 1.5 * big, y - big), math.hypot(x - 0.5 * big, y - big)
            is_yin = right <= small or small < left <= 0.5 * big or (y > big and right > 0.5 * big)
            label = 2 if min(right, left) < small else int(is_yin)
            if label == goal:
                break
        points.append((x, y, 1 - x, 1 - y, 0.0))
        labels.append(label)
    steps = np.floor(np.array(points) * 30.0 / task["dt"]).astype(int)
    spikes = np.zeros((task["samples"], task["steps"], 5), np.float32)
    spikes[np.arange(len(points))[:, None], steps, np.arange(5)[None, :]] = 1
    return spikes, np.array(labels)


def random_spikes(random, task):
    """Independent spikes with a probability of 0.005 per step and input, and random labels."""
    shape = (task["samples"], task["steps"], task["sizes"][0])
    return (random.random(shape) < 0.005).astype(np.float32), random.integers(task["sizes"][2], size=task["samples"])


def data():
    task = TASKS[TASK]
    make = yin_yang if TASK == "yin-yang" else random_spikes
    return task, *make(np.random.default_rng(SEED), task)


def decays(task):
    return [math.exp(-task["dt"] / tau) for tau in task["taus"]]


def in_torch():
    import torch

    torch.set_num_threads(THREADS)
    torch.manual_seed(SEED)
    task, spikes, labels = data()
    model, version = (snntorch_model if FRAMEWORK == "snntorch" else norse_model)(task)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    # Steps first, as both frameworks want them.
    spikes, labels = torch.from_numpy(spikes).transpose(0, 1).contiguous(), torch.from_numpy(labels)

    def epoch():
        correct = 0
        for batch in torch.randperm(len(labels)).split(BATCH):
            largest = model(spikes[:, batch])
            loss = torch.nn.functional.cross_entropy(largest, labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            correct += int((largest.argmax(1) == labels[batch]).sum())
        return correct / len(labels)

    return epoch, version


def linear_layers(task):
    """Weights in units of the current; a step adds (1 − β) of the current to the potential, which the weights take over."""
    import torch

    layers = []
    for inputs, outputs, (mean, deviation) in zip(task["sizes"], task["sizes"][1:], task["weights"]):
        layer = torch.nn.Linear(inputs, outputs, bias=False)
        torch.nn.init.normal_(layer.weight, mean, deviation)
        layers.append(layer)
    return layers


def snntorch_model(task):
    import snntorch
    import torch
    from snntorch import surrogate

    beta, alpha = decays(task)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = linear_layers(task)
            for layer in (self.first, self.second):
                layer.weight.data *= 1 - beta
            self.hidden = snntorch.Synaptic(alpha=alpha, beta=beta, spike_grad=surrogate.fast_sigmoid(slope=SLOPE))
            self.output = snntorch.Synaptic(alpha=alpha, beta=beta, reset_mechanism="none")

        def forward(self, spikes):
            current, potential = self.hidden.init_synaptic()
            out_current, out_potential = self.output.init_synaptic()
            potentials = []
            for step in spikes:
                fired, current, potential = self.hidden(self.first(step), current, potential)
                _, out_current, out_potential = self.output(self.second(fired), out_current, out_potential)
                potentials.append(out_potential)
            return torch.stack(potentials).max(0).values

    return Model(), f"snnTorch {snntorch.__version__}, PyTorch {torch.__version__}"


def norse_model(task):
    from importlib.metadata import version

    import norse.torch as norse
    import torch

    dt = task["dt"] / 1000
    inverse = {name: torch.tensor(1000 / tau) for name, tau in zip(["tau_mem_inv", "tau_syn_inv"], task["taus"])}
    first, second = linear_layers(task)
    hidden = norse.LIF(norse.LIFParameters(method="super", alpha=torch.tensor(SLOPE), **inverse), dt=dt)
    output = norse.LI(norse.LIParameters(**inverse), dt=dt)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = norse.SequentialState(first, hidden, second, output)

        def forward(self, spikes):
            return self.layers(spikes)[0].max(0).values

    return Model(), f"Norse {version('norse')}, PyTorch {torch.__version__}"


def spyx_epoch():
    import jax
    import jax.numpy as jnp
    import optax
    import spyx
    from flax import nnx
    from importlib.metadata import version

    task, spikes, labels = data()
    beta, alpha = decays(task)
    rngs = nnx.Rngs(SEED)
    (inputs, hidden, outputs), layers = task["sizes"], []
    for before, after, (mean, deviation) in zip(task["sizes"], task["sizes"][1:], task["weights"]):
        layer = nnx.Linear(before, after, use_bias=False, rngs=rngs)
        values = mean + deviation * jax.random.normal(rngs.params(), (before, after))
        layer.kernel = nnx.Param((1 - beta) * values)
        layers.append(layer)
    neurons = spyx.nn.CuBaLIF((hidden,), alpha=alpha, beta=beta, activation=spyx.axn.superspike(k=SLOPE), rngs=rngs)
    # A current and a potential, each a leaky integrator.
    readout = [spyx.nn.LI((outputs,), beta=decay, rngs=rngs) for decay in (alpha, beta)]
    model = spyx.nn.Sequential(layers[0], neurons, layers[1], *readout)
    optimiser = nnx.Optimizer(model, optax.adam(RATE), wrt=nnx.Param)

    def loss(model, spikes, labels):
        largest = spyx.nn.run(model, spikes)[0].max(0)
        costs = optax.softmax_cross_entropy_with_integer_labels(largest, labels)
        return costs.mean(), (largest.argmax(1) == labels).sum()

    @nnx.jit
    def step(model, optimiser, spikes, labels):
        (_, correct), gradient = nnx.value_and_grad(loss, has_aux=True)(model, spikes, labels)
        optimiser.update(model, gradient)
        return correct

    spikes, labels = jnp.asarray(spikes.transpose(1, 0, 2)), jnp.asarray(labels)
    random = np.random.default_rng(SEED)

    def epoch():
        order, correct = random.permutation(len(labels)), 0
        # Whole batches only: another shape would be compiled again.
        for batch in order[: len(order) // BATCH * BATCH].reshape(-1, BATCH):
            correct += int(step(model, optimiser, spikes[:, batch], labels[batch]))
        return correct / len(labels)

    return epoch, f"Spyx {version('spyx')}, JAX {jax.__version__}"


def main():
    epoch, version = spyx_epoch() if FRAMEWORK == "spyx" else in_torch()
    epoch()
    start = time.perf_counter()
    accuracy = epoch()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "values": {"accuracy %": round(100 * accuracy)}, "version": version}))


main()
