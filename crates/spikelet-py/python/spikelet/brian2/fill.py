"""Fills monitors of Brian 2 with what a simulation has recorded."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from brian2 import EventMonitor, PopulationRateMonitor, StateMonitor

from .monitors import place
from .refractory import HELD
from .units import si
from .whole import whole

if TYPE_CHECKING:
    from .convert import Conversion


#: The last spikes that were copied from a simulation, with its step.
COPIES: WeakKeyDictionary[Any, dict[str, tuple[int, np.ndarray, np.ndarray]]] = WeakKeyDictionary()


def all_spikes(simulation: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps, in ascending order, and neurons of all spikes so far. Copies of millions of them take seconds."""
    copies, now = COPIES.setdefault(simulation, {}), simulation.step
    if name not in copies or copies[name][0] != now:
        found = simulation.spikes(name)
        copies[name] = (now, found.steps, found.neurons)
    return copies[name][1:]


def spikes_of(
    simulation: Any, conversion: Conversion, source: Any, event: str, first: int, end: int
) -> tuple[np.ndarray, np.ndarray]:
    """Steps and indices of the events of a group, or of a part of it, in the steps from `first` to before `end` of the simulation."""
    base = whole(source)
    if not is_known(conversion, base.name):
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    steps, neurons = all_spikes(simulation, base.name if event == "spike" else f"{base.name}.{event}")
    # A custom event is numbered by the step in which it takes effect.
    late = int(event != "spike")
    window = slice(*np.searchsorted(steps, [first + late, end + late]))
    steps, neurons = steps[window].astype(int) - late, neurons[window].astype(int)
    last = simulation.step - 1
    if late and end > last >= first and not (steps == last).any():
        # Those of the last step are in its name.
        of_last = np.flatnonzero(simulation.get(f"{base.name}.{event}"))
        steps, neurons = np.append(steps, np.full(len(of_last), last)), np.append(neurons, of_last)
    start, stop = getattr(source, "start", 0), getattr(source, "stop", len(base))
    if (start, stop) == (0, len(base)):
        return steps, neurons
    kept = (neurons >= start) & (neurons < stop)
    return steps[kept], neurons[kept] - start


def is_known(conversion: Conversion, name: str) -> bool:
    """Whether a group has spikes in the network."""
    return any(of["name"] == name and of.get("type") != "poisson_input" for of in (*conversion.populations, *conversion.sources))


class Filler:
    """Appends the results of some steps to the monitors of a network."""

    def __init__(
        self,
        simulation: Any,
        conversion: Conversion,
        before: dict[str, np.ndarray] | None = None,
        seen: dict[tuple[str, str, int], np.ndarray] | None = None,
    ) -> None:
        self.simulation = simulation
        self.conversion = conversion
        #: `lastspike` of groups when the simulation began.
        self.before = before or {}
        #: What monitors have seen in a step before an operation, by their names, variables and steps.
        self.seen = seen or {}

    def fill(self, first: int, end: int) -> None:
        """Appends what belongs to the steps from `first` to before `end`."""
        for monitor in self.conversion.monitors:
            if not monitor.active:
                continue
            if isinstance(monitor, EventMonitor):
                self.events(monitor, first, end)
            elif isinstance(monitor, PopulationRateMonitor):
                self.rates(monitor, first, end)
        by_monitor: dict[Any, list[Any]] = {}
        for part in self.conversion.recordings.parts:
            by_monitor.setdefault(part.monitor, []).append(part)
        for monitor, parts in by_monitor.items():
            self.states(monitor, parts, first, end)
        for monitor, every in self.conversion.recordings.of_times:
            self.grow(monitor, every, first, end)
        for monitor in self.conversion.monitors:
            if isinstance(monitor, StateMonitor):
                # What `record_single_timestep` of Brian 2 calls.
                monitor.codeobj = partial(self.single, monitor)

    def times(self, steps: np.ndarray) -> np.ndarray:
        """The times of steps of the simulation, computed as by a clock of Brian 2."""
        return (steps + self.conversion.start_step) * self.conversion.dt

    def events(self, monitor: EventMonitor, first: int, end: int) -> None:
        """A spike or event monitor."""
        steps, neurons = spikes_of(self.simulation, self.conversion, monitor.source, monitor.event, first, end)
        variables = monitor.variables
        variables["count"].get_value()[:] += np.bincount(neurons, minlength=len(monitor.source)).astype(np.int32)
        old = int(variables["N"].get_value().item())
        new = old + len(steps)
        if monitor.record:
            monitor.resize(new)
            variables["i"].get_value()[old:new] = neurons
            variables["t"].get_value()[old:new] = self.times(steps)
        for name in sorted(monitor.record_variables - {"i", "t"}):
            path = self.conversion.recordings.at_events[whole(monitor.source).name, name]
            variables[name].get_value()[old:new] = self.at_events(
                path, variables[name], steps, neurons + getattr(monitor.source, "start", 0)
            )
        variables["N"].set_value(new)

    def at_events(self, path: str, variable: Any, steps: np.ndarray, neurons: np.ndarray) -> np.ndarray:
        """Values that were stored at spikes, which recordings show one step later."""
        if len(steps) == 0:
            return np.zeros(0)
        trace = self.simulation.trace(path)
        rows = np.round(trace.times / self.simulation.dt_ms).astype(int)
        column = {int(index): place for place, index in enumerate(trace.indices)}
        at = np.searchsorted(rows, steps + 1)
        last = at >= len(rows)
        columns = np.array([column[int(neuron)] for neuron in neurons])
        values = trace.values[np.minimum(at, len(rows) - 1), columns]
        if last.any():
            values[last] = self.simulation.get(path)[neurons[last]]
        return si(values, variable.dim)

    def rates(self, monitor: PopulationRateMonitor, first: int, end: int) -> None:
        """A rate monitor."""
        every = self.conversion.steps_of(monitor.clock, monitor.name, "")
        steps, _ = spikes_of(self.simulation, self.conversion, monitor.source, "spike", first, end)
        due = np.array([step for step in range(first, end) if (step + self.conversion.start_step) % every == 0], dtype=int)
        counts = np.bincount(steps - first, minlength=end - first)[due - first] if len(due) else np.zeros(0)
        old = int(monitor.variables["N"].get_value().item())
        new = old + len(due)
        monitor.resize(new)
        monitor.variables["t"].get_value()[old:new] = self.times(due)
        monitor.variables["rate"].get_value()[old:new] = counts / float(monitor.clock.dt) / len(monitor.source)
        monitor.variables["N"].set_value(new)

    def states(self, monitor: Any, parts: list[Any], first: int, end: int) -> None:
        """A state monitor. The end of the last step is left to `complete`."""
        old, due = self.grow(monitor, parts[0].every, first, end)
        new = old + len(due)
        if len(due) == 0:
            return
        for part in parts:
            array = monitor.variables[part.variable].get_value()
            values = self.sampled(monitor, part, due, end)
            # An operation of this step that comes after the monitor has changed the state since.
            for (name, of, step), seen in self.seen.items():
                if (name, of) == (monitor.name, part.variable) and step in due:
                    values[np.searchsorted(due, step)] = seen
            array[old:new] = np.trunc(values) if np.issubdtype(array.dtype, np.integer) else values

    def grow(self, monitor: Any, every: int, first: int, end: int) -> tuple[int, np.ndarray]:
        """Appends the times at which a state monitor samples; returns how many there were, and the steps."""
        old = int(monitor.variables["N"].get_value().item())
        due = np.array([step for step in range(first, end) if (step + self.conversion.start_step) % every == 0], dtype=int)
        monitor.resize(old + len(due))
        monitor.variables["t"].get_value()[old : old + len(due)] = self.times(due)
        return old, due

    def single(self, monitor: Any) -> None:
        """Appends the present state to a state monitor."""
        old = int(monitor.variables["N"].get_value().item())
        monitor.resize(old + 1)
        monitor.variables["t"].get_value()[old] = monitor.clock.variables["t"].get_value().item()
        for variable in monitor.record_variables:
            monitor.variables[variable].get_value()[old] = self.present(monitor, variable)

    def sampled(self, monitor: Any, part: Any, due: np.ndarray, end: int) -> np.ndarray:
        """Values of a variable in some steps."""
        variable = monitor.variables[part.variable]
        if part.recording is None:
            if part.variable.startswith("lastspike"):
                return self.last_spikes(monitor, part, due)
            return np.repeat(np.atleast_2d(self.present(monitor, part.variable)), len(due), axis=0)
        path = f"{part.recording.object}.{part.recording.var}"
        trace = self.simulation.trace(path)
        rows = np.round(trace.times / self.simulation.dt_ms).astype(int)
        place = {int(index): column for column, index in enumerate(trace.indices)}
        columns = [place[int(index)] for index in part.indices]
        wanted = due + part.late
        at = np.searchsorted(rows, wanted)
        missing = (at >= len(rows)) | (rows[np.minimum(at, len(rows) - 1)] != wanted)
        values = si(trace.values[np.minimum(at, len(rows) - 1)][:, columns], variable.dim)
        if missing.any() and (part.is_middle or part.recording.var == HELD):
            values[missing] = si(self.simulation.get(path)[part.indices], variable.dim)
        return 1 - values if part.recording.var == HELD else values

    def last_spikes(self, monitor: Any, part: Any, due: np.ndarray) -> np.ndarray:
        """`lastspike` of neurons: what Brian 2 knew before, and the spikes since."""
        owner, _, indices = place(monitor, part.variable)
        steps, neurons = spikes_of(self.simulation, self.conversion, owner, "spike", 0, int(due[-1]) + 1)
        values = np.repeat(self.before[owner.name][indices][None, :], len(due), axis=0)
        for column, index in enumerate(indices):
            of = steps[neurons == index]
            # Those before the start of a step, or before its end.
            count = np.searchsorted(of, due, side="right" if part.late else "left")
            values[count > 0, column] = self.times(of[count[count > 0] - 1])
        return values

    def present(self, monitor: Any, variable: str) -> np.ndarray:
        """The values of a monitor's neurons that Brian 2 has."""
        view = monitor.source.state(variable, use_units=False, level=0)
        values = np.asarray(view.get_item(slice(None), level=0, namespace=self.conversion.namespace))
        return values[np.asarray(monitor.record)] if values.ndim and values.size > 1 else values

    def complete(self, monitor: Any, step: int) -> None:
        """The end of the last step in a monitor that shows it: the present state."""
        count, parts = int(monitor.variables["N"].get_value().item()), self.conversion.recordings.parts
        for part in parts:
            if part.monitor is monitor and part.recording is not None and part.recording.var != HELD:
                array = monitor.variables[part.variable].get_value()
                array[count - 1] = self.present(monitor, part.variable)
