"""State monitors of Brian 2 as recordings, one for each variable."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import Equations, EventMonitor, NeuronGroup, StateMonitor, Synapses

from .names import assigned
from .reads import neuron_variable, with_dependencies
from .refractory import HELD
from .regular import EARLY, LATE, ORDER, Copy, Key, key_of, kind_of
from .units import declared
from .whole import whole

if TYPE_CHECKING:
    from .convert import Conversion

RESETS = ("after_synapses", "before_resets", "resets")
# Slots in which spikes are known, and nothing has changed the state since.
AT_SPIKES = ("thresholds", "after_thresholds", "before_synapses")
# Slots between the integration and the synapses, in which nothing changes the state.
MIDDLE = ("after_groups", "before_thresholds", "thresholds", "after_thresholds", "before_synapses")


@dataclass
class Recording:
    """What is recorded of one variable."""

    object: str
    var: str
    size: int
    every: int = 0
    indices: set[int] = field(default_factory=set)


@dataclass
class Part:
    """A variable of a state monitor: where its values are."""

    monitor: StateMonitor
    variable: str
    #: `None` for a value that no run changes, and for times of spikes: Brian 2 has them.
    recording: Recording | None
    indices: np.ndarray
    every: int
    #: Whether samples are those of the ends of steps, or of their middle; they are recorded in the next step.
    late: bool
    is_middle: bool = False


@dataclass
class Recordings:
    """All recordings of a network, and the monitors to which they belong."""

    of: dict[tuple[str, str], Recording] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    #: Monitors that record times alone, with their intervals in steps.
    of_times: list[tuple[StateMonitor, int]] = field(default_factory=list)
    #: Paths of the variables that keep values of the last spike, by group and variable.
    at_events: dict[tuple[str, str], str] = field(default_factory=dict)

    def collect(self, to: Conversion) -> None:
        """Finds what the monitors of a network record."""
        for monitor in to.monitors:
            if isinstance(monitor, StateMonitor):
                self.state(to, monitor)
            elif isinstance(monitor, EventMonitor):
                self.event(to, monitor)

    def state(self, to: Conversion, monitor: StateMonitor) -> None:
        """A state monitor."""
        source, base = monitor.source, whole(monitor.source)
        if not monitor.active:
            return
        if len(monitor.record) == 0 or not monitor.record_variables:
            self.of_times.append((monitor, to.steps_of(monitor.clock, monitor.name, "")))
            return
        is_middle = monitor.when in MIDDLE and isinstance(base, NeuronGroup)
        is_late = ends_step(monitor)
        if monitor.when not in EARLY and not is_late and not is_middle:
            to.problems.add(
                monitor.name,
                "",
                f"the state inside a step, in the slot `{monitor.when}`, cannot be recorded",
                "Use `when='start'` or `when='end'`.",
            )
            return
        every = to.steps_of(monitor.clock, monitor.name, "")
        known = {of["name"] for of in (*to.populations, *to.sources, *to.projections)}
        for variable in monitor.record_variables:
            owner, name, indices = place(monitor, variable)
            if is_middle:
                owner, name = base, variable
                indices = np.asarray(monitor.record, dtype=int) + getattr(source, "start", 0)
            late = is_late or is_middle
            if name == "lastspike" or is_fixed(to, owner, name):
                self.parts.append(Part(monitor, variable, None, indices, every, late, is_middle))
                continue
            if base.name not in known or owner.name not in known:
                if not isinstance(source, Synapses) or len(source):
                    missing = base.name if base.name not in known else owner.name
                    to.problems.add(monitor.name, "", f"`{missing}` is not in the network", "Add it to the network.")
                return
            object_name, size = owner.name, len(owner)
            if is_middle:
                object_name, name = self.after_integration(to, base, variable)
            elif name == "not_refractory":
                name = HELD
            else:
                copy = to.copies.get(owner.name, {}).get(copy_name(monitor, variable))
                name = copy.name if copy is not None else name
            recording = self.of.setdefault((object_name, name), Recording(object_name, name, size))
            # The end of a step is the start of the next one.
            recording.every = math.gcd(recording.every, math.gcd(every, to.start_step - late) if every > 1 else 1)
            recording.indices.update(indices.tolist())
            self.parts.append(Part(monitor, variable, recording, indices, every, late, is_middle))

    def after_integration(self, to: Conversion, group: NeuronGroup, variable: str) -> tuple[str, str]:
        """A copy of a variable after the integration of each step: a clock-driven variable of synapses from each neuron to itself, which Spikelet
        integrates after the neurons. An Euler step of (v - copy)/dt makes the copy v."""
        name, copy = f"{group.name}_after_integration", f"{variable}_after"
        projection = next((of for of in to.projections if of["name"] == name), None)
        if projection is None:
            ends = {"pre": group.name, "post": group.name}
            projection = {
                "name": name,
                **ends,
                "connect": {"rule": "one_to_one"},
                "method": "euler",
                "equations": to.no_effect(group.name),
            }
            to.projections.append(projection)
        of = group.variables[variable]
        read = f"int({variable}_post)" if of.is_boolean else f"{variable}_post"
        line = f"d{copy}/dt = ({read} - {copy})/dt : {declared(of.dim)} (clock-driven)"
        lines = projection["equations"].splitlines()
        if line not in lines:
            projection["equations"] = "\n".join([*lines, line])
        return name, copy

    def event(self, to: Conversion, monitor: EventMonitor) -> None:
        """A spike or event monitor, which needs no recording unless it has variables.

        Their values at a spike are those before synapses and resets of the step. A projection of each neuron onto itself stores them, before
        all others, in variables that are recorded."""
        extra = sorted(set(monitor.record_variables) - {"i", "t"})
        if not extra:
            return
        if monitor.when not in AT_SPIKES:
            to.problems.add(
                monitor.name,
                "`when`",
                f"values at spikes ({', '.join(extra)}) are those before synapses and resets of the step, not of the slot `{monitor.when}`",
                "Leave out `when`, or record the variable by a StateMonitor with `when='end'`.",
            )
            return
        base = whole(monitor.source)
        if monitor.event != "spike" or not isinstance(base, NeuronGroup):
            to.problems.add(
                monitor.name,
                "`variables`",
                f"values at the times of these events ({', '.join(extra)}) are not recorded",
                "Record the variable by a StateMonitor, or store it in the statements of the event in a variable of its own.",
            )
            return
        population = next((of for of in to.populations if of["name"] == base.name), None)
        if population is None:
            to.problems.add(monitor.name, "", f"`{base.name}` is not in the network", "Add it to the network.")
            return
        name = f"{base.name}_at_spikes"
        projection = next((of for of in to.projections if of["name"] == name), None)
        if projection is None:
            projection = {
                "name": name,
                "pre": base.name,
                "post": base.name,
                "connect": {"rule": "one_to_one"},
                "on_pre": "",
                "order": {"pre": -1000000},
            }
            to.projections.append(projection)
        for variable in extra:
            stored = f"{variable}_at_spike"
            if (base.name, variable) in self.at_events:
                continue
            of = base.variables[variable]
            is_number = np.dtype(of.dtype).kind == "f"
            population["equations"] = "\n".join([*population.get("equations", "").splitlines(), f"{stored} : {declared(of.dim)}"])
            value = f"{variable}_post" if is_number else f"int({variable}_post)"
            projection["on_pre"] = "\n".join([*projection["on_pre"].splitlines(), f"{stored}_post = {value}"])
            self.at_events[base.name, variable] = f"{base.name}.{stored}"
            self.of[base.name, stored] = Recording(base.name, stored, len(base), 1, set(range(len(base))))

    def entries(self, to: Conversion) -> list[dict[str, Any]]:
        """The `recordings` of the network."""
        entries = []
        for of in self.of.values():
            indices = sorted(of.indices)
            entry: dict[str, Any] = {
                "object": of.object,
                "var": of.var,
                "indices": "all" if len(indices) == of.size else indices,
            }
            if of.every > 1:
                entry["every_ms"] = to.time_ms(of.every)
            entries.append(entry)
        return entries


def ends_step(monitor: StateMonitor) -> bool:
    """Whether a monitor shows the end of a step. Resets do not change synapses."""
    return monitor.when in LATE or (isinstance(monitor.source, Synapses) and monitor.when in RESETS)


def monitor_key(monitor: StateMonitor) -> Key:
    """The place of a monitor among the objects of the end of a step and of the start of the next one."""
    return ORDER.get(monitor.when, -1), monitor.order, monitor.name


def copy_name(monitor: StateMonitor, variable: str) -> str:
    """The name of a copy for a monitor."""
    return f"{variable}_in_{monitor.name}"


def place(monitor: StateMonitor, variable: str) -> tuple[Any, str, np.ndarray]:
    """The object that has a value which a monitor records, its name there, and its indices: synapses show values of neurons, and a linked
    variable is that of another neuron."""
    source = monitor.source
    owner, name = whole(source), variable
    indices = np.asarray(monitor.record, dtype=int) + getattr(source, "start", 0)
    if isinstance(owner, Synapses) and (of := neuron_variable(owner, variable)):
        owner, name = of
        side = "_synaptic_pre" if variable.endswith("_pre") else "_synaptic_post"
        indices = np.asarray(source.variables[side].get_value())[indices]
    if name in getattr(owner, "_linked_variables", ()) and name in owner.variables:
        linked, index = owner.variables[name], owner.variables.indices[name]
        if isinstance(getattr(linked.owner, "equations", None), Equations) and linked.name in linked.owner.equations:
            if index == "0":
                indices = np.zeros(len(indices), dtype=int)
            elif index != "_idx":
                indices = np.asarray(owner.variables[index].get_value()).astype(int)[indices]
            owner, name = whole(linked.owner), linked.name
    return owner, name, indices


def is_fixed(to: Conversion, owner: Any, name: str) -> bool:
    """Whether no run changes a value, so that Brian 2 has it."""
    return name in ("i", "j", "N") or f"{owner.name}.{name}" in {of.path for of in to.states if not of.changes}


def find_copies(to: Conversion) -> None:
    """Finds what monitors record that is not in the state when a network samples it, after all statements of the start of a step: statements
    that come later in Brian 2 change it, or it depends on the time at the end of a step."""
    for monitor in to.monitors:
        if not isinstance(monitor, StateMonitor) or not monitor.active or len(monitor.record) == 0:
            continue
        is_late = ends_step(monitor)
        if monitor.when not in EARLY and not is_late:
            continue
        key = monitor_key(monitor)
        for variable in monitor.record_variables:
            owner, name, _ = place(monitor, variable)
            if not isinstance(getattr(owner, "equations", None), Equations) or name not in owner.equations:
                continue
            read = with_dependencies(owner, name)
            later = [of for of in to.runners.get(owner.name, []) if of.active and key_of(of) > key]
            of_time = is_late and any(
                "t" in owner.equations[of].identifiers for of in read if of in owner.equations.subexpr_names
            )
            if of_time or any(assigned(of.abstract_code or "") & read for of in later):
                of = owner.variables[name]
                copy = Copy(key, copy_name(monitor, variable), name, of.dim, kind_of(of))
                to.copies.setdefault(owner.name, {})[copy.name] = copy
