"""BrainPy (brainpy.dyn), JAX on the CPU, single precision. The loop is compiled once; each request starts it from the initial state.

Spikes come back every 100 ms."""

import os
import time

from common import answer, arguments, conductances, halves, izhikevich_cells, limit_threads
from params import BRUNEL, COBA, COBAHH, CUBA, IZH

MODELS = ("cuba", "coba", "cobahh", "brunel", "izhikevich", "izhikevich_10k")
args = arguments(MODELS)
limit_threads(args.threads)
os.environ["JAX_PLATFORMS"] = "cpu"
if args.threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import brainpy as bp
import brainpy.math as bm
import numpy as np

SEED = 1
CHUNK_MS = 100.0
bm.set_platform("cpu")


class Recurrent(bp.DynSysGroup):
    """Neurons N whose spikes reach all of them, through E and through I."""

    def wire(self, neurons, n_e, delay, project):
        self.N = neurons
        self.n_e = n_e
        self.delay = bp.VarDelay(neurons.spike, entries={"d": delay})
        self.E, self.I = project

    def update(self):
        spikes = self.delay.at("d")
        self.E(spikes[:self.n_e])
        self.I(spikes[self.n_e:])
        self.delay(self.N())
        return self.N.spike.value


class Balanced(Recurrent):
    """The wiring of Brette et al. 2007; weights in units of `unit`."""

    def __init__(self, p, neurons, out_e, out_i, unit=1.0, start=None):
        super().__init__()
        n_e, n_i, n = p["n_e"], p["n_i"], p["n_e"] + p["n_i"]

        def projection(n_pre, seed, weight, tau, out):
            joined = bp.conn.FixedProb(p["p"], pre=n_pre, post=n, seed=seed)
            return bp.dyn.HalfProjAlignPost(comm=bp.dnn.EventCSRLinear(joined, weight / unit), syn=bp.dyn.Expon(size=n, tau=tau),
                                            out=out, post=neurons)

        self.wire(neurons, n_e, None, (projection(n_e, SEED, p["we"], p["taue"], out_e),
                                       projection(n_i, SEED + 1000, p["wi"], p["taui"], out_i)))
        if start is not None:
            for of, values in zip((self.E, self.I), start):
                of.syn.g.value = f32(values / unit)


class TraubMiles(bp.dyn.NeuDyn):
    """Exponential Euler by differentiation."""

    def __init__(self, p):
        n = p["n_e"] + p["n_i"]
        super().__init__(n)
        self.p = p
        self.V = bm.Variable(f32(p["El"] + 5 * np.random.default_rng(SEED).standard_normal(n) - 5))
        self.m, self.h, self.n = (bm.Variable(bm.zeros(n)) for _ in range(3))
        self.spike = bm.Variable(bm.zeros(n, dtype=bool))
        self.last = bm.Variable(bm.ones(n) * -1e7)
        self.integral = bp.odeint(bp.JointEq(self.dV, self.dm, self.dh, self.dn), method="exp_auto")

    def dm(self, m, t, V):
        u = V - self.p["VT"]
        return 0.32 * 4 / bm.exprel((13 - u) / 4) * (1 - m) - 0.28 * 5 / bm.exprel((u - 40) / 5) * m

    def dh(self, h, t, V):
        u = V - self.p["VT"]
        return 0.128 * bm.exp((17 - u) / 18) * (1 - h) - 4 / (1 + bm.exp((40 - u) / 5)) * h

    def dn(self, n, t, V):
        u = V - self.p["VT"]
        return 0.032 * 5 / bm.exprel((15 - u) / 5) * (1 - n) - 0.5 * bm.exp((10 - u) / 40) * n

    def dV(self, V, t, m, h, n):
        p = self.p
        channels = p["gna"] * m ** 3 * h * (V - p["ENa"]) + p["gkd"] * n ** 4 * (V - p["EK"])
        return (self.sum_current_inputs(V) + p["gl"] * (p["El"] - V) - channels) / p["Cm"]

    def update(self, x=None):
        t = bp.share.load("t")
        values = self.integral(self.V.value, self.m.value, self.h.value, self.n.value, t, bp.share.load("dt"))
        # Above vspike and not refractory.
        fired = bm.logical_and(self.V > self.p["vspike"], t - self.last > self.p["tref"])
        self.last.value = bm.where(fired, t, self.last)
        self.spike.value = fired
        self.V.value, self.m.value, self.h.value, self.n.value = values
        return fired


class Izhikevich(bp.DynSysGroup):
    """The update of the paper, written out."""

    def __init__(self, scale):
        super().__init__()
        n_e, n_i = IZH["n_e"] * scale, IZH["n_i"] * scale
        self.n_e, self.count = n_e, n_e + n_i
        a, b, c, d = izhikevich_cells(np.random.default_rng(SEED), n_e, n_i)
        self.a, self.b, self.c, self.d = map(f32, (a, b, c, d))
        self.noise = f32(np.r_[np.full(n_e, IZH["noise_e"]), np.full(n_i, IZH["noise_i"])])

        def synapses(n_pre, inputs, seed, low, high):
            joined = bp.conn.All2All(include_self=True, pre=n_pre, post=n_e + n_i) if scale == 1 else \
                bp.conn.FixedPreNum(inputs, pre=n_pre, post=n_e + n_i, seed=seed)
            return bp.dnn.EventCSRLinear(joined, bp.init.Uniform(low, high))

        self.E = synapses(n_e, IZH["k_e"], SEED, 0.0, IZH["w_e"])
        self.I = synapses(n_i, IZH["k_i"], SEED + 1000, IZH["w_i"], 0.0)
        self.v = bm.Variable(f32(np.full(n_e + n_i, -65.0)))
        self.u = bm.Variable(f32(-65.0 * b))

    def update(self):
        v, u = self.v.value, self.u.value
        fired = v >= 30
        v, u = bm.where(fired, self.c, v), bm.where(fired, u + self.d, u)
        current = self.noise * bm.random.randn(self.count) + self.E(fired[:self.n_e]) + self.I(fired[self.n_e:])
        v = v + 0.5 * (0.04 * v * v + 5 * v + 140 - u + current)
        v = v + 0.5 * (0.04 * v * v + 5 * v + 140 - u + current)
        self.u.value = u + self.a * (self.b * v - u)
        self.v.value = v
        return fired


class Brunel(Recurrent):
    """From outside one Poisson number per neuron and step, lost while refractory."""

    def __init__(self):
        super().__init__()
        p, n_e, n_i = BRUNEL, BRUNEL["n_e"], BRUNEL["n_i"]
        n = n_e + n_i
        neurons = bp.dyn.LifRef(n, V_rest=0.0, V_th=p["theta"], V_reset=p["Vr"], tau=p["taum"], tau_ref=p["tref"],
                                V_initializer=bp.init.ZeroInit())

        def projection(n_pre, inputs, seed, weight):
            joined = bp.conn.FixedPreNum(inputs, pre=n_pre, post=n, seed=seed)
            return bp.dyn.HalfProjDelta(comm=bp.dnn.EventCSRLinear(joined, weight), post=neurons)

        self.wire(neurons, n_e, p["delay"], (projection(n_e, p["c_e"], SEED, p["J"]),
                                             projection(n_i, p["c_i"], SEED + 1000, -p["g"] * p["J"])))
        mean = p["rate_ext"] * p["c_e"] * p["dt"] * 1e-3
        neurons.add_inp_fun("outside", lambda *_, **__: bm.random.poisson(mean, (n,)) * p["J"], category="delta")


def f32(values):
    return bm.asarray(np.asarray(values, np.float32))


def cuba():
    p, n = CUBA, CUBA["n_e"] + CUBA["n_i"]
    neurons = bp.dyn.LifRef(n, V_rest=p["El"], V_th=p["Vt"], V_reset=p["Vr"], tau=p["taum"], tau_ref=p["tref"], R=1.0,
                            V_initializer=bp.init.Uniform(p["Vr"], p["Vt"]))
    return Balanced(p, neurons, bp.dyn.CUBA(), bp.dyn.CUBA())


def coba():
    # In units of the leak conductance, so that R = 1.
    p, n = COBA, COBA["n_e"] + COBA["n_i"]
    neurons = bp.dyn.LifRefLTC(n, V_rest=p["El"], V_th=p["Vt"], V_reset=p["Vr"], tau=p["Cm"] / p["gl"], tau_ref=p["tref"], R=1.0,
                               V_initializer=bp.init.Normal(p["El"] - 5.0, 5.0))
    start = conductances(np.random.default_rng(SEED), n)
    return Balanced(p, neurons, bp.dyn.COBA(E=p["Ee"]), bp.dyn.COBA(E=p["Ei"]), p["gl"], start)


def cobahh():
    p, n = COBAHH, COBAHH["n_e"] + COBAHH["n_i"]
    start = conductances(np.random.default_rng(SEED), n)
    return Balanced(p, TraubMiles(p), bp.dyn.COBA(E=p["Ee"]), bp.dyn.COBA(E=p["Ei"]), start=start)


def main():
    build, p = {"cuba": (cuba, CUBA), "coba": (coba, COBA), "cobahh": (cobahh, COBAHH), "brunel": (Brunel, BRUNEL),
                "izhikevich": (lambda: Izhikevich(1), IZH), "izhikevich_10k": (lambda: Izhikevich(10), IZH)}[args.model]
    bm.set_dt(p["dt"])
    bm.random.seed(SEED)
    network = build()
    scale = 10 if args.model == "izhikevich_10k" else 1
    populations = halves(p["n_e"] * scale, p["n_i"] * scale)
    start = {name: np.array(variable.value) for name, variable in network.vars().unique().items()}
    steps, total = int(round(CHUNK_MS / p["dt"])), int(round(args.seconds * 1000 / p["dt"]))

    @bm.jit
    def advance(indices):
        return bm.for_loop(network.step_run, indices, progress_bar=False)

    def chunk(first, end):
        return np.asarray(bm.as_jax(advance(bm.arange(first, end).value)))

    def reset():
        for name, variable in network.vars().unique().items():
            variable.value = bm.as_jax(bm.asarray(start[name]))

    def run(seed):
        reset()
        bm.random.seed(seed)
        neurons = []
        started = time.perf_counter()
        for first in range(0, total, steps):
            neurons.append(np.nonzero(chunk(first, min(first + steps, total)))[1])
        return time.perf_counter() - started, np.concatenate(neurons), populations

    chunk(0, steps)     # compiles
    if total % steps:
        chunk(0, total % steps)
    answer(f"BrainPy {bp.__version__}", args.seconds, run)


if __name__ == "__main__":
    main()
