"""Set-up and control of simulations, and PyNN's procedural functions."""

from __future__ import annotations

import warnings
from typing import Any

from pyNN import common
from pyNN.common.control import DEFAULT_MAX_DELAY, DEFAULT_MIN_DELAY, DEFAULT_TIMESTEP
from pyNN.recording import get_io

from . import simulator
from .connectors import FixedProbabilityConnector
from .populations import Population
from .projections import Projection
from .synapses import StaticSynapse

# What other simulators of PyNN know, and has no meaning here.
OF_OTHERS = {
    "verbosity", "recording_precision", "t_flush", "rng_type", "grng_seed", "use_cvode", "rtol", "atol", "default_maxstep", "allow_update_on_post",
    "debug", "optimize", "label",
}  # fmt: skip
OPTIONS = {"backend", "precision", "threads", "adapter", "fast_math"}


def setup(timestep: float = DEFAULT_TIMESTEP, min_delay: Any = DEFAULT_MIN_DELAY, **extra_params: Any) -> int:
    """Begins a script: everything that was made before is forgotten. Times are in ms.

    Args of Spikelet (see `spikelet.Simulation`):
        backend: "auto", "cpu" or "gpu"; adapter: which GPU; threads: of the CPU; fast_math: of a GPU.
        precision: "f32", or "f64" for the slow reference.
        seed: of all random numbers of the simulation; rng_seed is the same. Random numbers of the network are PyNN's.
    """
    max_delay = extra_params.pop("max_delay", DEFAULT_MAX_DELAY)
    common.setup(timestep, min_delay, max_delay=max_delay, **extra_params)
    simulator.state.clear()
    simulator.state.dt = float(timestep)
    simulator.state.min_delay_given, simulator.state.max_delay_given = min_delay, max_delay
    seed = extra_params.pop("seed", extra_params.pop("rng_seed", None))
    seeds = extra_params.pop("rng_seeds", None)
    simulator.state.seed = int(seeds[0]) if seed is None and seeds else seed
    simulator.state.options = {key: extra_params.pop(key) for key in OPTIONS.intersection(extra_params)}
    if extra_params.pop("spike_precision", "on_grid") == "off_grid":
        warnings.warn(
            "spike_precision='off_grid': spikes of Spikelet are in steps, and those of cells have the end of their step as time",
            stacklevel=2,
        )
    if unknown := {*extra_params} - OF_OTHERS:
        known = sorted(OPTIONS | {"max_delay", "seed", "rng_seed", "rng_seeds", "spike_precision"})
        warnings.warn(
            f"setup(): {', '.join(sorted(unknown))} has no meaning for Spikelet, which knows {', '.join(known)}",
            stacklevel=2,
        )
    return rank()


def end(compatible_output: bool = True) -> None:
    """Writes all files that `record(…, to_file=…)` asked for. Data can still be read."""
    for population, variables, filename in simulator.state.write_on_end:
        population.write_data(get_io(filename), variables)
    simulator.state.write_on_end = []


run, run_until = common.build_run(simulator)
run_for = run
reset = common.build_reset(simulator)
initialize = common.initialize
get_current_time, get_time_step, get_min_delay, get_max_delay, num_processes, rank = common.build_state_queries(simulator)

create = common.build_create(Population)
connect = common.build_connect(Projection, FixedProbabilityConnector, StaticSynapse)
set = common.set
record = common.build_record(simulator)


def record_v(source: Any, filename: str) -> None:
    """Records the potential, to a file."""
    record(["v"], source, filename)


def record_gsyn(source: Any, filename: str) -> None:
    """Records both conductances, to a file."""
    record(["gsyn_exc", "gsyn_inh"], source, filename)
