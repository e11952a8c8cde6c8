"""Compares `spikelet.pynn` with `pyNN.nest`: the same script in both, spikes by neuron and step. `python pynn_nest.py [names]` prints a table."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import numpy as np
from pyNN.random import NumpyRNG

SETUP = {
    "pyNN.nest": {"spike_precision": "on_grid", "verbosity": "error"},
    "spikelet.pynn": {"backend": "cpu", "precision": "f64"},
}
DT = 0.1


def begin(name: str, dt: float = DT) -> Any:
    """A module after `setup()`."""
    sim = importlib.import_module(name)
    sim.setup(timestep=dt, min_delay=dt, max_delay=10.0, **SETUP[name])
    return sim


def trains(rate: float, count: int, duration: float, seed: int = 1) -> list[list[float]]:
    """Spikes on the steps of 0.1 ms."""
    rng = np.random.default_rng(seed)
    steps = [np.flatnonzero(rng.random(int(duration * 10)) < rate * 1e-4) + 1 for _ in range(count)]
    # pyNN.nest subtracts a delay; what rounding puts after a step would be in the next one.
    return [(np.round(of * 0.1, 1) - 1e-6).tolist() for of in steps]


def network(cell: str, weights: tuple[float, float, float], duration: float = 300.0, dt: float = DT, **parameters: Any) -> Any:
    """20 excitatory and 5 inhibitory cells with recurrent synapses and spikes from outside."""

    def run(name: str) -> tuple[Any, Any]:
        sim = begin(name, dt)
        if name == "pyNN.nest" and cell == "IF_cond_exp_gsfa_grr":
            # pyNN.nest 0.13 does not know these variables.
            sim.IF_cond_exp_gsfa_grr.variable_map |= {"g_r": "g_rr", "g_s": "g_sfa"}
            sim.IF_cond_exp_gsfa_grr.scale_factors |= {"g_r": 1.0, "g_s": 1.0}
        inputs = sim.Population(25, sim.SpikeSourceArray(spike_times=trains(40.0, 25, duration)))
        cells = sim.Population(25, getattr(sim, cell)(**parameters))
        if name == "pyNN.nest" and cell in ("IF_curr_delta", "Izhikevich"):
            # pyNN.nest 0.13 does not set the potential of IF_curr_delta.
            cells.node_collection.set(**({"V_m": -65.0} if cell == "IF_curr_delta" else {"V_m": -70.0, "U_m": -14.0}))
        exc, inh = cells[:20], cells[20:]
        rng = NumpyRNG(seed=11)
        probable = sim.FixedProbabilityConnector(0.3, rng=rng)
        sim.Projection(
            inputs, cells, sim.FixedProbabilityConnector(0.5, rng=rng), sim.StaticSynapse(weight=weights[0], delay=1.0)
        )
        sim.Projection(exc, cells, probable, sim.StaticSynapse(weight=weights[1], delay=1.5), receptor_type="excitatory")
        sim.Projection(inh, cells, probable, sim.StaticSynapse(weight=weights[2], delay=0.8), receptor_type="inhibitory")
        cells.record("spikes")
        sim.run(duration)
        spikes = cells.get_data("spikes").segments[0].spiketrains
        sim.end()
        return spikes, None

    return run


def currents(name: str) -> tuple[Any, Any]:
    """Constant, periodic and stepwise currents."""
    sim = begin(name)
    cells = sim.Population(4, sim.IF_curr_exp(i_offset=[0.0, 0.0, 0.0, 0.9]))
    cells[0:1].inject(sim.DCSource(amplitude=1.0, start=20.0, stop=150.0))
    cells[1:2].inject(sim.ACSource(amplitude=1.0, offset=0.6, frequency=20.0, phase=45.0, start=10.0, stop=180.0))
    cells[2:3].inject(sim.StepCurrentSource(times=[10.0, 60.0, 120.0], amplitudes=[0.8, 1.5, 0.3]))
    cells.record("spikes")
    sim.run(100.0)
    cells[3:4].set(i_offset=1.3)
    sim.run(100.0)
    spikes = cells.get_data("spikes").segments[0].spiketrains
    sim.end()
    return spikes, None


def depressing(name: str) -> tuple[Any, Any]:
    """Short-term plasticity."""
    sim = begin(name)
    inputs = sim.Population(10, sim.SpikeSourceArray(spike_times=trains(60.0, 10, 400.0)))
    cells = sim.Population(10, sim.IF_curr_exp(tau_syn_E=3.0))
    sim.Projection(
        inputs,
        cells[:5],
        sim.AllToAllConnector(),
        sim.TsodyksMarkramSynapse(weight=1.5, delay=1.0, U=0.5, tau_rec=200.0, tau_facil=0.0),
    )
    sim.Projection(
        inputs,
        cells[5:],
        sim.AllToAllConnector(),
        sim.TsodyksMarkramSynapse(weight=3.0, delay=1.0, U=0.05, tau_rec=50.0, tau_facil=300.0),
    )
    cells.record("spikes")
    sim.run(400.0)
    spikes = cells.get_data("spikes").segments[0].spiketrains
    sim.end()
    return spikes, None


def learning(rule: str, **parameters: Any) -> Any:
    """Pairs of spikes change weights; cells fire by strong inputs of their own."""

    def run(name: str) -> tuple[Any, Any]:
        sim = begin(name)
        # NEST changes a weight when a presynaptic spike comes; a last one of all inputs brings all weights to the same time.
        inputs = sim.Population(10, sim.SpikeSourceArray(spike_times=[[*of, 998.5 - 1e-6] for of in trains(30.0, 10, 980.0)]))
        teachers = sim.Population(10, sim.SpikeSourceArray(spike_times=trains(20.0, 10, 980.0, seed=2)))
        cells = sim.Population(10, sim.IF_cond_exp(tau_refrac=2.0))
        stdp = sim.STDPMechanism(
            timing_dependence=sim.SpikePairRule(tau_plus=20.0, tau_minus=15.0, A_plus=0.01, A_minus=0.012),
            weight_dependence=getattr(sim, rule)(w_min=0.0, w_max=0.01, **parameters),
            weight=0.005,
            delay=1.0,
        )
        plastic = sim.Projection(inputs, cells, sim.AllToAllConnector(), stdp)
        sim.Projection(teachers, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=0.3, delay=1.0))
        cells.record("spikes")
        sim.run(1000.0)
        spikes = cells.get_data("spikes").segments[0].spiketrains
        weights = plastic.get("weight", format="array")
        sim.end()
        return spikes, weights

    return run


FAST = {"tau_syn_E": 2.0, "tau_syn_I": 5.0}
CASES = {
    "IF_curr_exp": network("IF_curr_exp", (0.6, 0.3, -0.6), **FAST),
    "IF_curr_exp, 0.05 ms": network("IF_curr_exp", (0.6, 0.3, -0.6), dt=0.05, **FAST),
    "IF_curr_alpha": network("IF_curr_alpha", (0.5, 0.2, -0.4), **FAST),
    "IF_curr_delta": network("IF_curr_delta", (1.4, 0.5, -1.0), tau_refrac=2.0),
    "IF_cond_exp": network("IF_cond_exp", (0.01, 0.004, 0.02), tau_refrac=2.0, **FAST),
    "IF_cond_alpha": network("IF_cond_alpha", (0.008, 0.003, 0.02), tau_refrac=2.0, **FAST),
    "IF_cond_exp_gsfa_grr": network("IF_cond_exp_gsfa_grr", (0.015, 0.004, 0.02), **FAST),
    "IF_facets_hardware1": network("IF_facets_hardware1", (0.004, 0.001, 0.004)),
    "EIF_cond_exp_isfa_ista": network("EIF_cond_exp_isfa_ista", (0.01, 0.002, 0.01), **FAST),
    "EIF_cond_alpha_isfa_ista": network("EIF_cond_alpha_isfa_ista", (0.01, 0.002, 0.01), **FAST),
    "Izhikevich": network("Izhikevich", (6.0, 1.0, -2.0), i_offset=0.004),
    "HH_cond_exp": network("HH_cond_exp", (0.01, 0.002, 0.01), dt=0.02, **FAST),
    "currents": currents,
    "TsodyksMarkramSynapse": depressing,
    "Additive": learning("AdditiveWeightDependence"),
    "Multiplicative": learning("MultiplicativeWeightDependence"),
    "AdditivePotentiationMultiplicativeDepression": learning("AdditivePotentiationMultiplicativeDepression"),
}


def steps(spikes: Any, dt: float) -> set[tuple[int, int]]:
    """Neuron and step of each spike."""
    return {(neuron, round(float(time) / dt)) for neuron, train in enumerate(spikes) for time in train.magnitude}


def main(names: list[str]) -> None:
    """Prints a row for each case."""
    warnings.simplefilter("ignore")
    print("| script | spikes here | NEST | in the same step | within 0.5 ms | weights differ by |\n|---|---|---|---|---|---|")
    for name, case in CASES.items():
        if names and name not in names:
            continue
        dt = {"IF_curr_exp, 0.05 ms": 0.05, "HH_cond_exp": 0.02}.get(name, DT)
        try:
            (nest, weights_nest), (here, weights) = case("pyNN.nest"), case("spikelet.pynn")
        except Exception as error:  # a script that one of them cannot run
            print(f"| {name} | {type(error).__name__}: {error} |", flush=True)
            continue
        a, b = steps(here, dt), steps(nest, dt)
        near = sum(
            any((neuron, step + shift) in b for shift in range(-round(0.5 / dt), round(0.5 / dt) + 1)) for neuron, step in a
        )
        differ = "" if weights is None else f"{np.abs(weights - weights_nest).max() / np.abs(weights_nest).max():.1e}"
        print(f"| {name} | {len(a)} | {len(b)} | {len(a & b)} | {near} | {differ} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
