"""The state of the back end: what was made since `setup()`, and the simulation of it.

The network is built at the first run. Later runs continue it, and changes of parameters are set in it. What a running simulation cannot change
(the spikes of an array, one value that becomes several) builds the network once more, and repeats all steps and changes so far: the steps are
deterministic, so the state is the same.
"""

from __future__ import annotations

import bisect
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from pyNN import common

from .. import Simulation, SpikeletError
from ..warning import without_notices

if TYPE_CHECKING:
    from .electrodes import CurrentSource
    from .network import Network
    from .populations import Population
    from .projections import Projection

name = "Spikelet"

PREFIXES = {"": 1.0, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}
BASES = {
    "V": "V", "volt": "V", "A": "A", "amp": "A", "S": "S", "siemens": "S", "F": "F", "farad": "F", "s": "s", "second": "s", "ohm": "ohm", "Hz": "Hz",
}  # fmt: skip


def scaled(unit: str) -> tuple[float, str]:
    """A unit as a number times a base unit. Other units than those of cells are their own bases."""
    if unit in ("", "1", "dimensionless"):
        return 1.0, ""
    above, _, below = unit.partition("/")
    found = re.fullmatch(rf"([pnumkMG]?)({'|'.join(sorted(BASES, key=len, reverse=True))})", above)
    if not found:
        return 1.0, unit
    number, base = PREFIXES[found[1]], BASES[found[2]]
    if not below:
        return number, base
    divisor, of = scaled(below)
    return number / divisor, f"{base}/{of}"


def factor(unit: str, other: str) -> float:
    """What values in a unit are multiplied by to be in the other one."""
    if unit == other or "unknown" in (unit, other):
        return 1.0
    (number, base), (divisor, of) = scaled(unit), scaled(other)
    if base != of:
        raise ValueError(f"a value in {unit} is no value in {other}; give it in a unit of the same kind")
    # 1e-9/1e-12 is not 1000 in floating point.
    return float(f"{number / divisor:.12g}")


def put(simulation: Simulation, path: str, value: Any, unit: str | None) -> None:
    """Sets a value in a simulation; without a unit it is in the simulation's own."""
    if unit is None or path in simulation.variables:
        simulation.set(path, value if unit is None else value * factor(unit, simulation.unit(path)))
    else:
        simulation.set(path, repr(float(value)) if unit == "1" else f"{float(value)!r} {unit}")


class ID(int, common.IDMixin):
    """A neuron."""

    def __init__(self, n: int) -> None:
        common.IDMixin.__init__(self)


class State(common.control.BaseState):
    """All objects of a script since `setup()`."""

    def __init__(self) -> None:
        super().__init__()
        self.mpi_rank = 0
        self.num_processes = 1
        self.options: dict[str, Any] = {}
        self.seed: int | None = None
        self.dt = 0.1
        self.clear()

    def clear(self) -> None:
        """Forgets everything."""
        self.recorders = set()
        self.write_on_end = []
        self.populations: list[Population] = []
        self.projections: list[Projection] = []
        self.current_sources: list[CurrentSource] = []
        self.id_counter = 1
        self.segment_counter = -1
        self.min_delay_given: float | str = "auto"
        self.max_delay_given: float | str = "auto"
        self.reset()

    def reset(self) -> None:
        """Returns to time 0; the network is built again at the next run, with the present parameters."""
        self.running = False
        self.step = 0
        self.t_start = 0
        self.segment_counter += 1
        self.simulation: Simulation | None = None
        self.network: Network | None = None
        self.stale = False
        # What was set during the run: step, path, value and unit.
        self.log: list[tuple[int, str, Any, str | None]] = []
        self._peeked: tuple[int, dict[str, Any]] | None = None
        for population in getattr(self, "populations", []):
            population.rewind()

    @property
    def t(self) -> float:
        """The time in ms."""
        return self.step * self.dt

    @property
    def built(self) -> bool:
        """Whether the network exists in the simulator."""
        return self.simulation is not None

    @property
    def min_delay(self) -> float:
        """The shortest delay of all synapses, if none was given."""
        if self.min_delay_given != "auto":
            return float(self.min_delay_given)
        delays = [projection.shortest_delay for projection in self.projections if len(projection) and projection.shortest_delay]
        return min(delays, default=self.dt)

    @property
    def max_delay(self) -> float:
        """The longest delay of all synapses, if none was given."""
        if self.max_delay_given != "auto":
            return float(self.max_delay_given)
        return max((projection.longest_delay for projection in self.projections), default=self.dt) or self.dt

    def must_not_be_built(self, what: str) -> None:
        """Refuses new objects during a run."""
        if self.built:
            raise NotImplementedError(
                f"{what} cannot be added at {self.t:g} ms, because Spikelet builds the network at the first run; add it before, or call reset() first"
            )

    # --- running

    def run(self, simtime: float) -> None:
        """Continues for a time in ms."""
        self.run_until(self.t + simtime)

    def run_until(self, tstop: float) -> None:
        """Continues to a time in ms."""
        end = round(tstop / self.dt)
        self.prepare(max(end - self.step, 1))
        steppers = self.current_sources
        for source in steppers:
            source.apply(self.step)
        stops = sorted({step for source in steppers for step in source.steps() if self.step <= step < end})
        for stop in [*stops, end]:
            self.advance(stop)
            for source in steppers:
                if stop in source.steps() and stop < end:
                    source.apply(stop)
        self.running = True

    def advance(self, step: int) -> None:
        """Runs to a step."""
        if self.simulation is None:
            self.step = max(step, self.step)
        elif step > self.step:
            try:
                self.simulation.run((step - self.step) * self.dt)
            finally:
                # After Ctrl-C it has stopped before the end.
                self.step = self.simulation.step

    def prepare(self, steps: int = 1) -> None:
        """Builds the network, if it does not exist or is not what the script says."""
        from .network import Network

        if self.network is None and (self.populations or self.step):
            self.network = Network(self, steps * self.dt)
            try:
                self.simulation = self.begin()
            except BaseException:
                # The script can correct it and run again.
                self.network = None
                raise
        elif self.stale:
            self.repeat()

    def begin(self) -> Simulation:
        """The simulation at its start."""
        assert self.network is not None
        seed = {} if self.seed is None else {"seed": self.seed}
        with without_notices():
            simulation = Simulation({**self.network.keys, **seed}, files=self.network.files, **self.options)
        if self.segment_counter:
            # Each segment has noise of its own.
            simulation.reset(trial=self.segment_counter)
        return simulation

    def repeat(self) -> None:
        """Builds the network once more, and repeats all steps and changes until now."""
        self.simulation = self.replayed(self.step)
        self.stale = False
        self._peeked = None

    def replayed(self, end: int) -> Simulation:
        """A simulation of the present network with all steps and changes until a step."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            simulation = self.begin()
        now = 0
        for step, path, value, unit in self.log:
            if step > now:
                simulation.run((step - now) * self.dt)
                now = step
            put(simulation, path, value, unit)
        if end > now:
            simulation.run((end - now) * self.dt)
        return simulation

    # --- values

    def set(self, path: str, value: Any, unit: str) -> None:
        """Sets a variable or parameter in the simulation. `value` is a number or an array in a unit of PyNN."""
        if self.simulation is None or self.network is None:
            return
        array = np.asarray(value, dtype=float)
        if array.ndim and array.size and (array == array[0]).all():
            array = array[0]
        if array.ndim and path not in self.simulation.variables:
            # One value for all becomes several: the code of steps is another one.
            self.network.spread(path)
            self.stale = True
        self.send(path, array, unit)

    def send(self, path: str, value: Any, unit: str | None) -> None:
        """Sets a value now, or when the network is built again."""
        assert self.simulation is not None
        if not self.stale:
            put(self.simulation, path, value, unit)
        self.log.append((self.step, path, value, unit))
        self._peeked = None

    def set_each(self, path: str, values: np.ndarray, unit: str) -> None:
        """Sets a value of each synapse, in a unit of PyNN."""
        from .network import inner

        assert self.network is not None
        if path in self.network.uniform:
            if (values == values[0]).all():
                self.send(path, float(values[0]), unit)
                return
            self.network.spread_synapses(path)
            self.stale = True
        # A list is in the units of numbers without a unit.
        self.send(path, values * inner(unit), None)

    def get(self, path: str, unit: str) -> np.ndarray:
        """The present values of a variable, in a unit of PyNN."""
        self.prepare()
        assert self.simulation is not None
        return self.simulation.get(path) * factor(self.simulation.unit(path), unit)

    # --- records

    def record(self, population: str, variable: str, indices: list[int], every: float | None, unit: str) -> None:
        """Records a variable from now on; before the first run, the network does so itself."""
        if self.simulation is None or self.network is None:
            return
        self.network.record(population, variable, indices, every)
        if self.stale:
            return
        present = set(self.simulation.recorded)
        new = [index for index in indices if f"{population}.{variable}[{index}]" not in present]
        if new:
            self.simulation.record(f"{population}.{variable}", new, every_ms=every)

    def signal(
        self, population: str, variable: str, indices: list[int], start: float, every: float, unit: str = "nA"
    ) -> tuple[Any, Any]:
        """Recorded values from a time until now, one row for each sample and one column for each neuron; NaN where there is no record."""
        self.prepare()
        assert self.simulation is not None
        per = round(every / self.dt)
        first = -(-round(start / self.dt) // per)
        rows = self.step // per - first + 1
        values = np.full((max(rows, 0), len(indices)), np.nan)
        labels = [f"{population}.{variable}[{index}]" for index in indices]
        for columns, trace in self.traces(f"{population}.{variable}", labels):
            steps = np.rint(trace.times / self.dt).astype(int)
            scale = factor(trace.unit, unit)
            row = steps // per - first
            inside = (steps % per == 0) & (row >= 0) & (row < rows)
            values[np.ix_(row[inside], columns)] = trace.values[inside] * scale
        if self.step % per == 0 and rows > 0:
            end = self.peek()
            missing = np.isnan(values[-1])
            values[-1, missing] = [end.get(label, (np.nan, ""))[0] for label, gap in zip(labels, missing, strict=True) if gap]
            scales = [
                factor(end[label][1], unit) if label in end else 1.0 for label, gap in zip(labels, missing, strict=True) if gap
            ]
            values[-1, missing] *= scales
        return (np.arange(rows) + first) * every, values

    def traces(self, path: str, labels: list[str]) -> list[tuple[list[int], Any]]:
        """Traces of some labels with the columns that they fill; those that began at different times are read one by one."""
        assert self.simulation is not None
        present = set(self.simulation.recorded)
        if self.step == 0:
            return []
        kept = [column for column, label in enumerate(labels) if label in present]
        if not kept:
            return []
        try:
            trace = self.simulation.trace(path)
        except SpikeletError:
            trace = None
        if trace is not None and ((len(trace.times) and trace.times[0] == 0) or len(kept) == 1):
            places = {label: place for place, label in enumerate(trace.labels)}
            chosen = [places[labels[column]] for column in kept]
            return [
                (
                    kept,
                    type(trace)(trace.times, trace.values[:, chosen], [labels[column] for column in kept], trace.unit),
                )
            ]
        return [([column], self.simulation.trace(labels[column])) for column in kept]

    def peek(self) -> dict[str, tuple[float, str]]:
        """The samples of the present time by their labels, with units: those that the next step would take before it changes the state."""
        if self._peeked is not None and self._peeked[0] == self.step:
            return self._peeked[1]
        assert self.simulation is not None
        snapshot = self.simulation.snapshot()
        self.simulation.run(self.dt)
        found = self.last(self.simulation)
        self.simulation.restore(snapshot)
        self._peeked = (self.step, found)
        return found

    def last(self, simulation: Simulation) -> dict[str, tuple[float, str]]:
        """The samples of the present step."""
        found = {}
        for path in dict.fromkeys(label.rpartition("[")[0] for label in simulation.recorded):
            try:
                traces = [simulation.trace(path)]
            except SpikeletError:
                traces = [simulation.trace(label) for label in simulation.recorded if label.startswith(f"{path}[")]
            for trace in traces:
                place = bisect.bisect_left(np.rint(trace.times / self.dt).tolist(), self.step)
                if place < len(trace.times):
                    found |= {
                        label: (float(value), trace.unit) for label, value in zip(trace.labels, trace.values[place], strict=True)
                    }
        return found

    def spikes(self, population: str, later: int) -> tuple[np.ndarray, np.ndarray]:
        """Neurons and times in ms of all spikes; a spike of a step has the time of its end, if `later` is 1."""
        if self.network is None or population not in self.network.sizes:
            return np.zeros(0, dtype=int), np.zeros(0)
        self.prepare()
        assert self.simulation is not None
        spikes = self.simulation.spikes(population)
        return spikes.neurons.astype(int), (spikes.steps.astype(int) + later) * self.dt


state = State()
