"""Projections: PyNN's connectors list the synapses, which are kept as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyNN import common
from pyNN.parameters import LazyArray, ParameterSpace
from pyNN.space import Space

from . import simulator
from .network import Group
from .synapses import ElectricalSynapse, StaticSynapse, Synapse


class Connection(common.Connection):
    """A synapse of a projection, with attributes for its weight, delay and other parameters."""

    def __init__(self, projection: Projection, index: int) -> None:
        object.__setattr__(self, "projection", projection)
        object.__setattr__(self, "index", index)

    @property
    def presynaptic_index(self) -> int:
        """The neuron in the presynaptic population, view or assembly."""
        return int(self.projection.pairs[0][self.index])

    @property
    def postsynaptic_index(self) -> int:
        """The neuron in the postsynaptic population, view or assembly."""
        return int(self.projection.pairs[1][self.index])

    def __getattr__(self, name: str) -> float:
        if name not in self.projection.names:
            raise AttributeError(
                f"a connection of {self.projection.label} has no {name}; it has {', '.join(self.projection.names)}"
            )
        return float(self.projection.current(name)[self.index])

    def __setattr__(self, name: str, value: float) -> None:
        if name not in self.projection.names:
            raise AttributeError(
                f"a connection of {self.projection.label} has no {name}; it has {', '.join(self.projection.names)}"
            )
        values = self.projection.current(name).copy()
        values[self.index] = value
        self.projection.assign({name: values})

    def as_tuple(self, *attribute_names: str) -> tuple[float, ...]:
        """Several attributes."""
        return tuple(getattr(self, name) for name in attribute_names)


class Projection(common.Projection):
    __doc__ = common.Projection.__doc__
    _simulator = simulator
    _static_synapse_class = StaticSynapse

    def __init__(
        self,
        presynaptic_population: Any,
        postsynaptic_population: Any,
        connector: Any,
        synapse_type: Any = None,
        source: Any = None,
        receptor_type: str | None = None,
        space: Space = Space(),  # noqa: B008 - PyNN's default
        label: str | None = None,
    ) -> None:
        simulator.state.must_not_be_built("a Projection")
        super().__init__(
            presynaptic_population,
            postsynaptic_population,
            connector,
            synapse_type,
            source,
            receptor_type,
            space,
            label,
        )
        if source is not None:
            raise NotImplementedError(
                f"{self.label}: source={source!r} names a part of a neuron, and Spikelet has point neurons; omit it"
            )
        if not isinstance(self.synapse_type, Synapse):
            kind = type(self.synapse_type)
            raise TypeError(f"{self.label}: {kind.__name__} is a synapse of {kind.__module__}; use the synapses of spikelet.pynn")
        self._chunks: list[tuple[np.ndarray, int, dict[str, Any]]] = []
        self.groups: list[Group] = []
        self.initial: dict[str, np.ndarray] = {}
        connector.connect(self)
        self._collect()
        simulator.state.projections.append(self)

    # --- making connections

    def _convergent_connect(
        self,
        presynaptic_indices: Any,
        postsynaptic_index: Any,
        location_selector: Any = None,
        **connection_parameters: Any,
    ) -> None:
        if location_selector is not None:
            raise NotImplementedError(
                f"{self.label}: a location names a part of a neuron, and Spikelet has point neurons; omit location_selector"
            )
        if isinstance(postsynaptic_index, common.IDMixin):
            # The connector of CSA gives cells.
            postsynaptic_index = self.post.id_to_index(postsynaptic_index)
            presynaptic_indices = [self.pre.id_to_index(cell) for cell in presynaptic_indices]
        sources = np.atleast_1d(np.asarray(presynaptic_indices, dtype=int))
        self._chunks.append((sources, int(np.ravel(postsynaptic_index)[0]), connection_parameters))

    def _collect(self) -> None:
        """Arrays of all connections."""
        lengths = [len(sources) for sources, _, _ in self._chunks]
        sources = np.concatenate([np.zeros(0, dtype=int), *(sources for sources, _, _ in self._chunks)])
        targets = np.repeat(np.array([target for _, target, _ in self._chunks], dtype=int), lengths)
        self.pairs = (sources, targets)
        self.names = list(self.synapse_type.native_parameters.keys())
        self._values: dict[str, np.ndarray] = {}
        for name in self.names:
            parts = [
                np.broadcast_to(np.asarray(values[name], dtype=float), (n,))
                for (_, _, values), n in zip(self._chunks, lengths, strict=True)
            ]
            self._values[name] = np.concatenate([np.zeros(0), *parts])
        self._chunks = []

    def ends(self, side: int) -> tuple[np.ndarray, np.ndarray]:
        """For each connection the place of its population in the state, and the neuron in it; `side` is 0 for presynaptic ones."""
        cells = (self.pre, self.post)[side].all_cells
        places = {population: place for place, population in enumerate(simulator.state.populations)}
        of = np.array([places[cell.parent] for cell in cells], dtype=int)
        index = np.array([int(cell) - int(cell.parent.first_id) for cell in cells], dtype=int)
        return of[self.pairs[side]], index[self.pairs[side]]

    # --- values

    def __len__(self) -> int:
        return len(self.pairs[0])

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [Connection(self, index) for index in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"{self.label} has {len(self)} connections; there is none with the number {i}")
        return Connection(self, int(i) % len(self))

    @property
    def connections(self) -> list[Connection]:
        """All connections."""
        return [Connection(self, index) for index in range(len(self))]

    @property
    def shortest_delay(self) -> float:
        """The shortest delay in ms; 0 if its synapses have none."""
        return float(self._values["delay"].min()) if "delay" in self._values and len(self) else 0.0

    @property
    def longest_delay(self) -> float:
        """The longest delay in ms; 0 if its synapses have none."""
        return float(self._values["delay"].max()) if "delay" in self._values and len(self) else 0.0

    def value(self, name: str) -> np.ndarray:
        """A parameter of each connection, as it was given."""
        return self._values[name]

    def current(self, name: str) -> np.ndarray:
        """A parameter of each connection; weights that are learned have their present values."""
        variable = self.synapse_type.learned.get(name)
        if variable is None or not simulator.state.built or not self.groups:
            return self._values[name]
        values = np.array(self._values[name], dtype=float)
        for group in self.groups:
            unit = group.sent[variable][1]
            values[group.order] = simulator.state.get(f"{group.name}.{variable}", unit)
        return values

    def assign(self, attributes: dict[str, np.ndarray]) -> None:
        """Gives all connections new values, also in the running simulation."""
        if "delay" in attributes and simulator.state.built:
            raise NotImplementedError(
                f"{self.label}: delays cannot be changed during a run in Spikelet; set them before the first run or after reset()"
            )
        for name, values in attributes.items():
            self._values[name] = np.asarray(values, dtype=float)
        if not simulator.state.built:
            return
        for group in self.groups:
            columns = self.synapse_type.columns(group.edges())
            for name, (array, unit) in columns.items():
                asked = self.synapse_type.learned.get("weight") == name and "weight" in attributes
                if name in group.state_variables() and not asked:
                    continue
                if asked or not np.array_equal(array, group.sent[name][0]):
                    # Connections have one value each, so that the code of steps does not change.
                    simulator.state.set_each(f"{group.name}.{name}", np.asarray(array, dtype=float), unit)
                    if isinstance(self.synapse_type, ElectricalSynapse):
                        simulator.state.set_each(f"{group.name}r.{name}", np.asarray(array)[group.reverse], unit)
            group.sent = columns

    def _set_attributes(self, parameter_space: ParameterSpace) -> None:
        new = {}
        for name, value in parameter_space.items():
            if name not in self.names:
                raise ValueError(
                    f"{self.label}: {type(self.synapse_type).__name__} has no parameter {name}; it has {', '.join(self.names)}"
                )
            if value.is_homogeneous:
                new[name] = np.full(len(self), float(value.evaluate(simplify=True)))
                continue
            values = np.array(self.current(name), dtype=float)
            # By columns, as PyNN's connectors evaluate them, in the order of targets.
            for target in np.unique(self.pairs[1]):
                chosen = np.flatnonzero(self.pairs[1] == target)
                values[chosen] = value[self.pairs[0][chosen], int(target)]
            new[name] = values
        self.assign(new)

    def initialize(self, **initial_values: Any) -> None:
        """Sets the state of synapses at the start: `u` of TsodyksMarkramSynapse, `u` and `a` (free sites) of MultiQuantalSynapse.

        A number for all, a random distribution, or one value for each connection; in a running simulation from now on.
        """
        for variable, value in initial_values.items():
            # PyNN 0.13 takes the method `size` for a number.
            base = getattr(value, "base_value", value)
            array = LazyArray(base, shape=(len(self),), dtype=float)
            self._set_initial_value_array(variable, array)
            self.initial_values[variable] = array

    def _set_initial_value_array(self, variable: str, initial_value: Any) -> None:
        known = list(getattr(self.synapse_type, "default_initial_values", {}))
        if variable not in known:
            kind = type(self.synapse_type).__name__
            raise ValueError(
                f"{self.label}: {kind} has no variable {variable!r} with an initial value; it has {', '.join(known) or 'none'}"
            )
        self.initial[variable] = np.broadcast_to(
            np.asarray(initial_value.evaluate(simplify=False), dtype=float), (len(self),)
        ).copy()
        if simulator.state.built:
            for group in self.groups:
                simulator.state.set(f"{group.name}.{variable}", self.initial[variable][group.order], "1")

    def _columns(self, names: Any) -> list[np.ndarray]:
        own = {"presynaptic_index": self.pairs[0], "postsynaptic_index": self.pairs[1]}
        return [own[name] if name in own else self.current(self._name(name)) for name in names]

    def _name(self, name: str) -> str:
        """PyNN allows `weights` and `delays`."""
        return name[:-1] if name in ("weights", "delays") else name

    def _get_attributes_as_list(self, names: Any) -> list[tuple[float, ...]]:
        return list(zip(*(column.tolist() for column in self._columns(names)), strict=True))

    def _get_attributes_as_arrays(self, names: Any, multiple_synapses: str = "sum") -> list[np.ndarray]:
        sources, targets = self.pairs
        matrices = []
        for values in self._columns(names):
            matrix = np.full(self.shape, np.nan)
            if multiple_synapses == "last":
                matrix[sources, targets] = values
            elif multiple_synapses == "first":
                matrix[sources[::-1], targets[::-1]] = values[::-1]
            else:
                combine, start = {"sum": (np.add, 0.0), "min": (np.minimum, np.inf), "max": (np.maximum, -np.inf)}[
                    multiple_synapses
                ]
                matrix[sources, targets] = start
                combine.at(matrix, (sources, targets), values)
            matrices.append(matrix)
        return matrices
