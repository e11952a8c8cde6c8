"""A Brian 2 network, as it is now, as a network of Spikelet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from brian2 import (
    EventMonitor,
    Network,
    NeuronGroup,
    PoissonGroup,
    PoissonInput,
    PopulationRateMonitor,
    SpikeGeneratorGroup,
    SpikeMonitor,
    StateMonitor,
    Synapses,
    get_dimensions,
)
from brian2.core.base import BrianObject
from brian2.core.clocks import Clock
from brian2.core.operations import NetworkOperation
from brian2.core.variables import Variable
from brian2.groups.group import CodeRunner
from brian2.groups.subgroup import Subgroup

from .event_driven import variables_of
from .groups import Groups
from .monitors import Recordings, find_copies
from .names import Scope, assigned
from .problems import Problems
from .refractory import find_held
from .regular import Copy, is_regular
from .synapses import Projections, rates_read, texts_of
from .units import inner
from .whole import unproxied, whole


@dataclass
class State:
    """A value that Brian 2 and Spikelet both have."""

    path: str
    variable: Variable
    dim: Any
    #: Whether a run can change it.
    changes: bool
    synapses: Synapses | None = None

    @property
    def is_event_driven(self) -> bool:
        """Whether this is an event-driven variable."""
        return self.synapses is not None and self.variable.name in variables_of(self.synapses)


@dataclass
class Conversion:
    """A conversion in progress, and its result."""

    namespace: Mapping[str, Any]
    duration: float
    dt: float = 0.0
    start_step: int = 0
    #: Whether parameters are lists even if all values are equal, so that single values can change later.
    keep_lists: bool = False
    #: Whether Python code that runs during a simulation is somebody else's task.
    allow_operations: bool = False
    problems: Problems = field(default_factory=Problems)
    populations: list[dict[str, Any]] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    projections: list[dict[str, Any]] = field(default_factory=list)
    functions: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    states: list[State] = field(default_factory=list)
    #: Constants of namespaces by the paths of their parameters, in inner units.
    constant_values: dict[str, float] = field(default_factory=dict)
    written: dict[str, set[str]] = field(default_factory=dict)
    monitored_events: set[tuple[str, str]] = field(default_factory=set)
    neuron_groups: list[NeuronGroup] = field(default_factory=list)
    synapses: list[Synapses] = field(default_factory=list)
    monitors: list[BrianObject] = field(default_factory=list)
    operations: list[NetworkOperation] = field(default_factory=list)
    group_names: set[str] = field(default_factory=set)
    #: Statements at regular times by the groups that have them.
    runners: dict[str, list[CodeRunner]] = field(default_factory=dict)
    #: Copies of values for monitors by their owners and names.
    copies: dict[str, dict[str, Copy]] = field(default_factory=dict)
    #: Groups whose refractoriness is read.
    held: set[str] = field(default_factory=set)
    recordings: Recordings = field(default_factory=Recordings)

    # What the converters of objects call.

    @property
    def dt_ms(self) -> float:
        """The time step in ms."""
        return self.time_ms(1)

    @property
    def duration_steps(self) -> int:
        """The number of steps of a run."""
        return math.ceil(round(self.duration / self.dt, 6))

    def time_ms(self, steps: int) -> float:
        """The time of a step in ms, to 12 digits, as it would be written."""
        return float(f"{steps * self.dt * 1e3:.12g}")

    def scope(self, group: Any, special: Mapping[str, str] | None = None) -> Scope:
        """The names of a group."""
        return Scope(group, self.namespace, self.problems, self.start_step * self.dt, special)

    def end(self, group: Any) -> str:
        """A population, or the part of it that a subgroup is."""
        base = whole(group)
        if isinstance(group, Subgroup) or (group is not base and (group.start, group.stop) != (0, len(base))):
            return f"{base.name}[{group.start}:{group.stop}]"
        return base.name

    def steps_of(self, clock: Clock, name: str, place: str) -> int:
        """The number of steps of the network in one of a clock."""
        ratio = float(clock.dt) / self.dt
        if abs(ratio - round(ratio)) > 1e-6 or round(ratio) < 1:
            self.problems.add(
                name,
                place,
                f"its time step {clock.dt} is no multiple of the shortest one, {self.dt * 1e3:g} ms",
                "Use a multiple of it.",
            )
            return 1
        return round(ratio)

    def same_clock(self, group: Any) -> None:
        """Complains about groups with an own time step."""
        if self.steps_of(group.clock, group.name, "") != 1:
            self.problems.add(
                group.name,
                "",
                f"its time step {group.clock.dt} is not that of the network, {self.dt * 1e3:g} ms",
                "Use one `defaultclock.dt` for all groups; `run_regularly` and monitors can have longer ones.",
            )

    def state(self, path: str, variable: Variable, dim: Any, *, changes: bool, synapses: Synapses | None = None) -> None:
        """Notes a value that both have."""
        given = np.asarray(variable.get_value(), dtype=float)
        if not np.isfinite(given).all():
            owner, _, name = path.partition(".")
            first = given.ravel()[np.flatnonzero(~np.isfinite(given.ravel()))[0]]
            self.problems.add(
                owner,
                f"`{name}`",
                f"it has the value {first}, and values are finite in Spikelet",
                "Use a large number, such as 1e30; a constant of the namespace can be `inf`.",
            )
        self.states.append(State(path, variable, dim, changes, synapses))

    def constants(self, name: str, scope: Scope) -> None:
        """Notes the constants of a group."""
        for constant, value in scope.constants.items():
            self.constant_values[f"{name}.{constant}"] = float(inner(np.asarray(value, dtype=float), get_dimensions(value)))

    def reads_values_of(self, name: str) -> bool:
        """Whether synapses read more of a presynaptic group than its spikes and indices."""
        mine = [of for of in self.synapses if whole(of.source).name == name]
        return any(rates_read(of) & {"rates"} for of in mine) or any(
            isinstance(of, StateMonitor) and whole(of.source).name == name for of in self.monitors
        )

    def no_effect(self, target: str) -> str:
        """An equation for synapses without an effect on their target, since every projection must have one."""
        population = next(of for of in self.populations if of["name"] == target)
        lines = population["equations"].splitlines()
        if "nothing : 1" not in lines:
            population["equations"] = "\n".join([*lines, "nothing : 1"])
        return "nothing_post = 0 : 1 (summed)"

    # The conversion.

    def convert(self, objects: Iterable[BrianObject]) -> None:
        """Converts all objects; raises one error with all reasons against it."""
        objects = sorted(objects, key=lambda of: of.name)
        self.sort(objects)
        clocks = [of.clock for of in (*self.neuron_groups, *self.synapses, *self.others)] or [of.clock for of in objects]
        self.dt = min((float(clock.dt) for clock in clocks), default=1e-4)
        self.start_step = round(self.start / self.dt)
        self.find_written()
        find_copies(self)
        self.held = find_held(self, texts_of)
        self.monitored_events = {(whole(of.source).name, of.event) for of in self.monitors if isinstance(of, EventMonitor)}
        groups, projections = Groups(self), Projections(self)
        for group in self.neuron_groups:
            self.same_clock(group)
            groups.neurons(group)
        for other in self.others:
            if isinstance(other, PoissonGroup):
                groups.poisson(other)
            elif isinstance(other, SpikeGeneratorGroup):
                groups.generator(other)
            else:
                groups.poisson_input(other)
        for of in self.synapses:
            if self.steps_of(of.clock, of.name, "") != 1:
                self.same_clock(of)
            projections.synapses(of)
        projections.order()
        self.recordings.collect(self)
        self.problems.raise_all()

    start: float = 0.0
    others: list[Any] = field(default_factory=list)

    def sort(self, objects: list[BrianObject]) -> None:
        """Sorts objects by their kinds."""
        for of in objects:
            match of:
                case _ if type(of).__name__ == "SpatialNeuron":
                    self.problems.add(
                        of.name,
                        "",
                        "neurons with compartments are not available",
                        "Write a few compartments as variables of a neuron.",
                    )
                case NeuronGroup():
                    self.neuron_groups.append(of)
                case PoissonGroup() | SpikeGeneratorGroup() | PoissonInput():
                    self.others.append(of)
                case Synapses():
                    self.synapses.append(of)
                case EventMonitor() | SpikeMonitor() | StateMonitor() | PopulationRateMonitor():
                    self.monitors.append(of)
                case NetworkOperation():
                    self.operations.append(of)
                    if not self.allow_operations:
                        self.problems.add(
                            of.name,
                            "",
                            "Python code cannot run during a simulation",
                            'Use `set_device("spikelet")`, which stops for it, or run in parts and set values in between.',
                        )
                case Subgroup() | CodeRunner() if isinstance(of, Subgroup) or is_regular(of):
                    # Their statements are collected below.
                    pass
                case _ if any(of in part.contained_objects for part in objects):
                    pass
                case _:
                    self.problems.add(
                        of.name,
                        "",
                        f"objects of the kind `{type(of).__name__}` are not known",
                        "Leave it out of the network.",
                    )
        self.group_names = {of.name for of in (*self.neuron_groups, *self.others)}
        self.find_runners(objects)

    def find_runners(self, objects: list[BrianObject]) -> None:
        """Finds statements at regular times, which groups, parts of groups, or nothing may contain."""
        runners = {of.name: of for part in objects for of in (part, *part.contained_objects) if is_regular(of)}
        known = self.group_names | {of.name for of in self.synapses}
        for name, runner in runners.items():
            owner = whole(runner.group).name
            self.runners.setdefault(owner, []).append(runner)
            if owner not in known or isinstance(whole(runner.group), SpikeGeneratorGroup):
                self.problems.add(
                    name,
                    "`run_regularly`",
                    f"its group `{owner}` has no statements at regular times in this network",
                    "Add it to the network.",
                )

    def find_written(self) -> None:
        """Finds which variables of each group anything changes."""

        def write(group: Any, names: Iterable[str]) -> None:
            self.written.setdefault(whole(group).name, set()).update(names)

        for group in self.neuron_groups:
            for code in group.event_codes.values():
                write(group, assigned(code))
        for name, runners in self.runners.items():
            self.written.setdefault(name, set()).update(*(assigned(of.abstract_code) for of in runners))
        for of in self.synapses:
            if not of.active:
                continue
            changed = {name for code in texts_of(of).values() for name in assigned(code)} | set(of.summed_updaters)
            for name in changed - set(of.equations.names):
                if name.endswith("_pre"):
                    write(of.source, {name[:-4]})
                else:
                    write(of.target, {name.removesuffix("_post")})
        for of in self.others:
            if isinstance(of, PoissonInput):
                write(of._group, {of._target_var})
        for group in self.neuron_groups:
            linked = {name for name in group.equations.names if "linked" in group.equations[name].flags}
            for name in sorted(self.written.get(group.name, set()) & linked):
                self.problems.add(
                    group.name,
                    f"`{name}`",
                    "a linked variable is a copy, and what is written to it would be lost",
                    "Write to the variable that it is linked to.",
                )

    def network(self, name: str, seed: int | None) -> dict[str, Any]:
        """The network in the format of network files."""
        network: dict[str, Any] = {
            "name": name,
            "dt_ms": self.dt_ms,
            "duration_ms": self.time_ms(max(self.duration_steps, 1)),
        }
        if seed is not None:
            network["seed"] = int(seed)
        parts = {
            "functions": list(self.functions.values()),
            "populations": self.populations,
            "sources": self.sources,
            "projections": self.projections,
            "recordings": self.recordings.entries(self),
        }
        return network | {key: part for key, part in parts.items() if part}


def objects_of(given: Network | BrianObject | Iterable[Any]) -> list[BrianObject]:
    """All objects of a network or of lists of objects, without those that other objects contain."""
    if isinstance(given, Network):
        return list(given.objects)
    if isinstance(given, BrianObject):
        return [given]
    if isinstance(given, Mapping):
        given = list(given.values())
    found: list[BrianObject] = []
    for of in given:
        found += objects_of(unproxied(of) if isinstance(of, BrianObject) else of)
    return found


__all__ = ["Conversion", "State", "objects_of"]
