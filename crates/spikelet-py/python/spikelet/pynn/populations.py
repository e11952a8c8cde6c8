"""Populations, views and assemblies."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from pyNN import common, errors
from pyNN.parameters import LazyArray, ParameterSpace, Sequence, simplify
from pyNN.standardmodels import StandardCellType

from . import simulator
from .cells import Cell, SpikeSourceArray, spikelet_unit
from .recording import Recorder


class Assembly(common.Assembly):
    __doc__ = common.Assembly.__doc__
    _simulator = simulator


def flat(space: ParameterSpace) -> dict[str, np.ndarray]:
    """The values of all parameters by their names, those of parts as `AMPA.tau_syn`."""
    values = {}
    for name, value in space.as_dict().items():
        if isinstance(value, dict):
            values |= {f"{name}.{key}": array for key, array in value.items()}
        else:
            values[name] = value
    return values


class Parameters:
    """What populations and views have in common."""

    def _get_parameters(self, *names: str) -> ParameterSpace:
        for name in names:
            if name not in self._root.values:
                raise errors.NonExistentParameterError(name, type(self.celltype).__name__, list(self._root.values))
        chosen = {name: self._root.values[name][self._places] for name in names}
        # Values that are arrays themselves (of GIF_cond_exp, spike times) need their type.
        lazy = {
            name: LazyArray(simplify(array), shape=(self.size,), dtype=type(array[0]))
            if array.dtype == object
            else simplify(array)
            for name, array in chosen.items()
        }
        return ParameterSpace(lazy, shape=(self.size,))

    _get_native_parameters = _get_parameters

    def _set_parameters(self, parameter_space: ParameterSpace) -> None:
        parameter_space.evaluate(simplify=False)
        for name, value in flat(parameter_space).items():
            self._root.assign(name, value, self._places)

    def _get_view(self, selector: Any, label: str | None = None) -> PopulationView:
        return PopulationView(self, selector, label)


class PopulationView(Parameters, common.PopulationView):
    __doc__ = common.PopulationView.__doc__
    _simulator = simulator
    _assembly_class = Assembly

    @property
    def _root(self) -> Population:
        return self.grandparent

    @property
    def _places(self) -> np.ndarray:
        # PyNN's id_to_index asks cells for the attributes of arrays, which asks for their parameters.
        first = int(self.grandparent.first_id)
        return np.array([int(cell) - first for cell in self.all_cells], dtype=int)

    def _set_initial_value_array(self, variable: str, initial_values: Any) -> None:
        self._root.start(variable, initial_values.evaluate(simplify=False), self._places)

    def initialize(self, **initial_values: Any) -> None:
        """Sets initial values of the neurons of the view; see `Population.initialize`."""
        for variable, value in initial_values.items():
            self._set_initial_value_array(variable, LazyArray(value, shape=(self.size,), dtype=float))


class Population(Parameters, common.Population):
    __doc__ = common.Population.__doc__
    _simulator = simulator
    _recorder_class = Recorder
    _assembly_class = Assembly
    # Its name in the network, which the network gives.
    name = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        simulator.state.must_not_be_built("a Population")
        super().__init__(*args, **kwargs)
        simulator.state.populations.append(self)

    @property
    def _root(self) -> Population:
        return self

    @property
    def _places(self) -> slice:
        return slice(None)

    def _create_cells(self) -> None:
        if not isinstance(self.celltype, Cell):
            raise TypeError(
                f"{self.label}: {type(self.celltype).__name__} is a cell of {type(self.celltype).__module__}; use the cells of spikelet.pynn, "
                "or native_cell_type() for equations of your own"
            )
        first = simulator.state.id_counter
        simulator.state.id_counter += self.size
        self.all_cells = np.array([simulator.ID(number) for number in range(first, first + self.size)], dtype=simulator.ID)
        self._mask_local = np.ones(self.size, dtype=bool)
        for cell in self.all_cells:
            cell.parent = self
        standard = isinstance(self.celltype, StandardCellType)
        space = self.celltype.native_parameters if standard else self.celltype.parameter_space
        space.shape = (self.size,)
        for part in [space, *(value for _, value in space.items() if isinstance(value, ParameterSpace))]:
            part.shape = (self.size,)
        space.evaluate(simplify=False)
        self.values = {name: np.broadcast_to(np.asarray(array), (self.size,)).copy() for name, array in flat(space).items()}
        self.initial: dict[str, np.ndarray] = {}
        # Spikes of an array that were before the last change of its times.
        self.past: list[np.ndarray] = [np.zeros(0) for _ in range(self.size)] if self.is_array else []
        if self.is_array:
            self.check_spikes(self.values["spike_times"])

    # --- values

    def assign(self, name: str, values: np.ndarray, places: Any) -> None:
        """Gives some neurons new values of a parameter, also in the running simulation."""
        if self.is_array:
            self.assign_spikes(values, places)
            return
        before = self.celltype.text(self.values) if simulator.state.built else None
        array = self.values[name]
        array = (
            array.copy() if array.dtype == object or np.can_cast(np.asarray(values).dtype, array.dtype) else array.astype(float)
        )
        array[places] = values
        self.values[name] = array
        if simulator.state.built:
            if self.celltype.text(self.values) != before:
                raise NotImplementedError(
                    f"{self.label}: {name} changes the equations; set it before the first run, or after reset()"
                )
            for key, (new, unit) in self.celltype.values(self.values).items():
                if key == self.celltype.variable(name) or key.startswith(f"{name}_"):
                    simulator.state.set(f"{self.name}.{key}", new, spikelet_unit(unit))

    def start(self, variable: str, values: np.ndarray, places: Any) -> None:
        """Gives some neurons new initial values of a variable; in a running simulation, new values from now on."""
        known = [
            *self.celltype.default_initial_values,
            *(name for name in self.celltype.recordable if name != "spikes"),
        ]
        if variable not in known:
            raise ValueError(
                f"{self.label}: {type(self.celltype).__name__} has no variable {variable!r}; it has {', '.join(dict.fromkeys(known)) or 'none'}"
            )
        default = float(self.celltype.default_initial_values.get(variable, 0.0))
        array = self.initial.get(variable, np.full(self.size, default)).copy()
        array[places] = values
        self.initial[variable] = array
        if simulator.state.built:
            key, unit = self.celltype.variable(variable), spikelet_unit(self.celltype.units[variable])
            now = array
            if not isinstance(places, slice):
                now = simulator.state.get(f"{self.name}.{key}", unit)
                now[places] = values
            simulator.state.set(f"{self.name}.{key}", now, unit)

    def _set_initial_value_array(self, variable: str, initial_values: Any) -> None:
        self.start(variable, initial_values.evaluate(simplify=False), slice(None))

    # --- spikes of arrays

    @property
    def is_array(self) -> bool:
        """Whether its spikes are given."""
        return isinstance(self.celltype, SpikeSourceArray)

    def check_spikes(self, trains: Any) -> None:
        """Times must be ordered."""
        for train in trains:
            times = np.asarray(getattr(train, "value", train), dtype=float)
            if (len(times) and (np.diff(times) < 0).any()) or (times < 0).any():
                raise errors.InvalidParameterValueError(
                    "Spike times given to SpikeSourceArray must be in increasing order, and not negative"
                )

    def trains(self) -> list[np.ndarray]:
        """The times of all spikes of each neuron, also of those before the last change, in ms."""
        given = [np.asarray(getattr(train, "value", train), dtype=float) for train in self.values["spike_times"]]
        return [np.concatenate([past, train[train > self.changed]]) for past, train in zip(self.past, given, strict=True)]

    # The time of the last change; at the start nothing is over.
    changed = -1.0

    def assign_spikes(self, trains: np.ndarray, places: Any) -> None:
        """New times of spikes. Those until now have happened; of the new ones those after now will."""
        self.check_spikes(trains)
        state = simulator.state
        if state.built or state.step:
            now = state.t
            self.past = [times[times <= now + 1e-9] for times in self.trains()]
            new = [np.asarray(getattr(train, "value", train), dtype=float) for train in trains]
            chosen = [self.past[place] for place in np.arange(self.size)[places]]
            for old, times in zip(chosen, new, strict=True):
                lost = np.setdiff1d(times[times <= now + 1e-9], old)
                if len(lost):
                    warnings.warn(
                        f"{self.label}: the spike at {lost[0]:g} ms is not sent, because it is {now:g} ms now",
                        stacklevel=4,
                    )
            self.changed = now + 1e-9
        array = self.values["spike_times"].copy()
        array[places] = trains
        self.values["spike_times"] = array
        if state.network is not None:
            state.network.set_spikes(self)
            state.stale = True

    def rewind(self) -> None:
        """Back to time 0: all spikes are still to come."""
        if self.is_array:
            self.past = [np.zeros(0) for _ in range(self.size)]
            self.changed = -1.0

    @property
    def lead(self) -> int:
        """1 if there are spikes at 0 ms: spikes are then in the step after their time, and all delays are shorter by a step."""
        half = 0.5 * simulator.state.dt
        return int(self.is_array and any(len(times) and times[0] < half for times in self.trains()))

    def array_spikes(self) -> list[list[float]]:
        """The spikes as Spikelet lists them. A spike of a step is one at its end, as it is for cells."""
        dt, later = simulator.state.dt, 1 - self.lead
        pairs = [
            (neuron, (max(round(time / dt) - later, 0) + 0.5) * dt)
            for neuron, times in enumerate(self.trains())
            for time in times.tolist()
        ]
        return [[neuron, time] for neuron, time in sorted(pairs, key=lambda pair: pair[1])]


__all__ = ["Assembly", "Population", "PopulationView", "Sequence"]
