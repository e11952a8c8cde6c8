"""The network of a script in the format of Spikelet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from .cells import DIMENSIONS, WEIGHTS, spikelet_unit
from .electrodes import slots
from .synapses import Edges, ElectricalSynapse

if TYPE_CHECKING:
    from .populations import Population
    from .projections import Projection
    from .simulator import State


def value_of(array: Any, unit: str) -> Any:
    """A value with its unit: one for all neurons if they have the same."""
    if isinstance(array, dict):
        return array
    unit = spikelet_unit(unit)
    array = np.asarray(array, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError(
            f"{array[~np.isfinite(array)][0] if array.ndim else array} is no value that Spikelet has; use finite numbers"
        )
    if array.ndim and not (array == array[0]).all():
        return {"values": array.tolist(), "unit": unit}
    number = float(array.flat[0])
    return number if unit == "1" else f"{number!r} {unit}"


def identifiers(labels: list[str]) -> list[str]:
    """Different names that Spikelet allows, from labels."""
    taken: set[str] = set()
    names = []
    for place, label in enumerate(labels):
        plain = re.sub(r"\W+", "_", label, flags=re.ASCII).strip("_")
        plain = plain if re.match(r"[A-Za-z]", plain) else f"p_{plain}"
        name = plain if plain not in taken and len(plain) <= 40 else f"{plain[:40]}_{place}"
        taken.add(name)
        names.append(name)
    return names


class Group:
    """The synapses of a projection between two populations.

    order: their places in the projection, sorted by presynaptic and then by postsynaptic neuron.
    """

    def __init__(self, projection: Projection, name: str, pre: Population, post: Population, order: np.ndarray) -> None:
        self.projection, self.name, self.pre, self.post, self.order = projection, name, pre, post, order
        self.sent: dict[str, tuple[np.ndarray, str]] = {}

    def edges(self) -> Edges:
        """The values of its synapses."""
        values = {name: np.asarray(self.projection.value(name))[self.order] for name in self.projection.names}
        initial = {name: array[self.order] for name, array in self.projection.initial.items()}
        if isinstance(self.projection.synapse_type, ElectricalSynapse):
            return Edges(values, f"gap_{self.name}", "uS")
        target, unit = self.post.celltype.receptor(self.projection.receptor_type)
        return Edges(values, target, unit, self.tau_psc(), initial)

    def state_variables(self) -> set[str]:
        """Those columns that are the start of variables, which change during the run."""
        text = str(self.projection.synapse_type.text(self.edges())["equations"])
        return {name for name in self.sent if not re.search(rf"^{name} : [^\n]*\(constant\)$", text, re.M)}

    reverse: np.ndarray

    def tau_psc(self) -> np.ndarray | None:
        """The time constant of the receptor for each synapse, in ms."""
        kind = self.projection.receptor_type
        names = {"excitatory": "tau_syn_E", "inhibitory": "tau_syn_I"}
        found = self.post.values.get(names.get(kind, ""), self.post.values.get(f"{kind}.tau_syn"))
        return None if found is None else np.broadcast_to(np.asarray(found, dtype=float), (self.post.size,))[self.targets]

    @property
    def sources(self) -> np.ndarray:
        """The presynaptic neurons."""
        return self.projection.ends(0)[1][self.order]

    @property
    def targets(self) -> np.ndarray:
        """The postsynaptic neurons."""
        return self.projection.ends(1)[1][self.order]


class Network:
    """A network, as `keys` of the format and `files` of edges, for a state."""

    def __init__(self, state: State, duration: float) -> None:
        self.state = state
        self.files: dict[str, dict[str, np.ndarray]] = {}
        self.keys: dict[str, Any] = {
            "name": "pynn",
            "dt_ms": state.dt,
            "duration_ms": duration,
            "populations": [],
            "sources": [],
            "projections": [],
        }
        self.keys["recordings"] = []
        # Parameters of synapses with one value for all, in units of numbers without a unit.
        self.uniform: dict[str, float] = {}
        for population, name in zip(state.populations, identifiers([of.label for of in state.populations]), strict=True):
            population.name = name
        self.sizes = {population.name: population.size for population in state.populations}
        self.gaps: dict[str, list[str]] = {}
        for projection in state.projections:
            self.connect(projection)
        for source in state.current_sources:
            source.slots.clear()
        for population in state.populations:
            if population.is_array:
                self.keys["sources"].append(
                    {"name": population.name, "size": population.size, "spike_times_ms": population.array_spikes()}
                )
            else:
                self.keys["populations"].append(self.population(population))
        for source in state.current_sources:
            if source.targets:
                self.keys["populations"] += source.populations()
                if source._recorded and source.populations():
                    self.record(source.name, "now", [0], None)
        for population in state.populations:
            for variable, neurons in population.recorder.wanted():
                self.record(population.name, variable, neurons, population.recorder.every)

    def population(self, population: Population) -> dict[str, Any]:
        """A population."""
        celltype = population.celltype
        values = celltype.values(population.values)
        keys = celltype.text(population.values)
        lines, terms = [], []
        for name in self.gaps.get(population.name, []):
            terms.append(name)
            lines.append(f"{name} : amp")
        linked = {}
        for slot in slots(self.state.current_sources, population):
            term, text, of_slot = slot.lines()
            terms.append(term)
            lines += text.split("\n")
            values |= of_slot
        for source in self.state.current_sources:
            if population in source.targets and not source.shares:
                term, text, of_source = source.lines(population)
                terms.append(term)
                lines += [line for line in text.split("\n") if line]
                values |= of_source
                if "(linked)" in text:
                    linked[f"{source.name}_now"] = {"population": source.name, "var": "now"}
        if re.search(r"\bi_stim\b", str(keys)):
            # An expression can have 300 operators.
            sums = [f"i_stim_{place} = {' + '.join(terms[place : place + 10])} : amp" for place in range(0, len(terms), 10)]
            parts = [*(["i_offset"] if "i_offset" in values else []), *(of.partition(" ")[0] for of in sums)]
            lines = [f"i_stim = {' + '.join(parts) or '0*nA'} : amp", *sums, *lines]
        elif terms:
            raise NotImplementedError(
                f"the cells of {population.label} have no current: write i_stim in their equations, the sum of all currents"
            )
        given = keys.get("equations", "")
        declared = set(re.findall(r"^\s*(\w+)\s*(?:=|:)", "\n".join([given, *lines]), re.M))
        for name, (_, unit) in values.items():
            if name not in declared:
                dimension = DIMENSIONS.get(spikelet_unit(unit), spikelet_unit(unit))
                lines.append(f"{name} : {dimension} (constant)")
        keys["equations"] = "\n".join([given, *lines]).strip()
        keys["parameters"] = {name: value_of(array, unit) for name, (array, unit) in values.items()}
        starts = celltype.starts({name: array for name, array in population.initial.items()}, population.values)
        if starts:
            keys["initial"] = {name: value_of(array, unit) for name, (array, unit) in starts.items()}
        if linked:
            keys["linked"] = linked
        return {"name": population.name, "size": population.size, **keys}

    def connect(self, projection: Projection) -> None:
        """The synapses of a projection, for each pair of populations."""
        projection.groups = []
        (pre_of, pre), (post_of, post) = projection.ends(0), projection.ends(1)
        place = self.state.projections.index(projection)
        number = 0
        for before in np.unique(pre_of):
            for after in np.unique(post_of):
                chosen = np.flatnonzero((pre_of == before) & (post_of == after))
                if len(chosen) == 0:
                    continue
                order = chosen[np.lexsort((post[chosen], pre[chosen]))]
                first, second = self.state.populations[before], self.state.populations[after]
                group = Group(projection, f"s{place}_{number}", first, second, order)
                number += 1
                projection.groups.append(group)
                self.add(group)

    def add(self, group: Group) -> None:
        """A group as a projection of the format."""
        edges, synapse, dt = group.edges(), group.projection.synapse_type, self.state.dt
        keys = {
            "name": group.name,
            "pre": group.pre.name,
            "post": group.post.name,
            "pairs": {"file": f"{group.name}.npz"},
        }
        keys |= synapse.text(edges)
        columns = {"pre": group.sources, "post": group.targets}
        group.sent = synapse.columns(edges)
        for name, (array, unit) in group.sent.items():
            values = np.asarray(array, dtype=float) * inner(unit)
            # Values that all synapses share let traces be those of neurons. Weights stay lists, so that each can be set.
            if name != "w" and name not in group.state_variables() and (values == values[0]).all():
                self.uniform[f"{group.name}.{name}"] = float(values[0])
                keys.setdefault("parameters", {})[name] = value_of(array, unit)
            else:
                columns[name] = values
        if isinstance(synapse, ElectricalSynapse):
            self.add_gap(group, keys, columns)
            return
        # Spikelet rounds half a step up.
        steps = np.floor(edges.values["delay"] / dt + 0.5).astype(int)
        if (steps < 1).any():
            raise ValueError(
                f"{group.projection.label}: a delay of {edges.values['delay'][steps < 1][0]:g} ms is shorter than a step of {dt:g} ms; "
                "use a longer delay or a shorter time step"
            )
        early = group.pre.lead + group.post.celltype.arriving
        if (steps < early).any():
            raise ValueError(
                f"{group.projection.label}: spikes of {group.pre.label} at 0 ms onto {type(group.post.celltype).__name__} need a delay of two steps; "
                "use a longer delay, or move these spikes to the first step"
            )
        keys["delay_ms"] = self.delays(steps - early, columns)
        late = synapse.dendritic(edges)
        if late is not None:
            after = np.floor(late / dt + 0.5).astype(int) - group.post.celltype.arriving
            if (after < 0).any():
                raise NotImplementedError(
                    f"{group.projection.label}: a dendritic_delay_fraction of 0 is not available for {type(group.post.celltype).__name__}; use 1"
                )
            values = (after * dt).tolist()
            same = values[0] if len(set(values)) == 1 else values
            keys["delay_post_ms"] = {name: same for name in keys["on_post"]}
        if keys["delay_ms"] is None:
            del keys["delay_ms"]
        self.files[f"{group.name}.npz"] = columns
        self.keys["projections"].append(keys)

    def delays(self, steps: np.ndarray, columns: dict[str, np.ndarray]) -> float | None:
        """One delay for all, or a column of them."""
        if (steps == steps[0]).all():
            return float(steps[0] * self.state.dt)
        columns["delay_ms"] = steps * self.state.dt
        return None

    def add_gap(self, group: Group, keys: dict[str, Any], columns: dict[str, np.ndarray]) -> None:
        """Both directions of an electrical synapse."""
        for of, target, other in ((group.post, f"gap_{group.name}", False), (group.pre, f"gap_{group.name}r", True)):
            if "v" not in of.celltype.default_initial_values:
                raise TypeError(
                    f"{group.projection.label}: an electrical synapse joins cells with a potential, which {of.label} does not have"
                )
            self.gaps.setdefault(of.name, []).append(target)
            text = keys["equations"].replace(f"gap_{group.name}_post", f"{target}_post")
            if other:
                order = np.lexsort((columns["pre"], columns["post"]))
                columns = {"pre": columns["post"][order], "post": columns["pre"][order], "w": columns["w"][order]}
                keys = {
                    **keys,
                    "pre": group.post.name,
                    "post": group.pre.name,
                    "name": f"{group.name}r",
                    "pairs": {"file": f"{group.name}r.npz"},
                }
                group.reverse = order
            self.files[keys["pairs"]["file"]] = columns
            self.keys["projections"].append({**keys, "equations": text})

    def record(self, population: str, variable: str, indices: list[int], every: float | None) -> None:
        """Records a variable."""
        if indices:
            keys = {"object": population, "var": variable, "indices": sorted(indices)}
            same = [of for of in self.keys["recordings"] if of["object"] == population and of["var"] == variable]
            new = sorted(set(indices) - {index for of in same for index in of["indices"]})
            if new:
                self.keys["recordings"].append({**keys, "indices": new} | ({} if every is None else {"every_ms": every}))

    def spread(self, path: str) -> None:
        """Makes one value of a parameter a list, which can then be set for each neuron."""
        name, _, parameter = path.partition(".")
        keys = next(of for of in self.keys["populations"] if of["name"] == name)
        value = keys["parameters"][parameter]
        if not isinstance(value, dict):
            number, _, unit = str(value).partition(" ")
            keys["parameters"][parameter] = {"values": [float(number)] * keys["size"], "unit": unit or "1"}

    def spread_synapses(self, path: str) -> None:
        """The same for a parameter of synapses."""
        name, _, parameter = path.partition(".")
        keys = next(of for of in self.keys["projections"] if of["name"] == name)
        del keys["parameters"][parameter]
        columns = self.files[f"{name}.npz"]
        columns[parameter] = np.full(len(columns["pre"]), self.uniform.pop(path))

    def set_spikes(self, population: Population) -> None:
        """Replaces the spikes of an array."""
        keys = next(of for of in self.keys["sources"] if of["name"] == population.name)
        keys["spike_times_ms"] = population.array_spikes()


def inner(unit: str) -> float:
    """What a value in a unit of PyNN is multiplied by to be a number without a unit."""
    return {"nA": 1e3, "uS": 1e3, "nF": 1e3, "Hz": 1e-3}.get(unit, 1.0)


__all__ = ["WEIGHTS", "Group", "Network"]
