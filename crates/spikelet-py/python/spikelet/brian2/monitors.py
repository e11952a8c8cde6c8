"""State monitors of Brian 2 as recordings, one for each variable."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import EventMonitor, NeuronGroup, StateMonitor, Synapses

from .groups import whole
from .names import assigned
from .reads import neuron_variable
from .units import declared

if TYPE_CHECKING:
    from .convert import Conversion

START = ("before_start", "start", "after_start", "before_groups")
END = ("after_resets", "before_end", "end", "after_end")
RESETS = ("after_synapses", "before_resets", "resets")
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
    recording: Recording
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
        source = monitor.source
        base = whole(source) if not isinstance(source, Synapses) else source
        if len(monitor.record) == 0 or not monitor.active:
            return
        is_middle = monitor.when in MIDDLE and isinstance(base, NeuronGroup)
        # Resets do not change synapses.
        is_late = monitor.when in END or (isinstance(source, Synapses) and monitor.when in RESETS)
        if monitor.when not in START and not is_late and not is_middle:
            to.problems.add(
                monitor.name,
                "",
                f"the state inside a step, in the slot `{monitor.when}`, cannot be recorded",
                "Use `when='start'` or `when='end'`.",
            )
            return
        if base.name not in {of["name"] for of in (*to.populations, *to.sources, *to.projections)}:
            if not isinstance(source, Synapses) or len(source):
                to.problems.add(monitor.name, "", f"`{base.name}` is not in the network", "Add it to the network.")
            return
        every = to.steps_of(monitor.clock, monitor.name, "")
        self.notice_statements(to, monitor, base.name)
        for variable in monitor.record_variables:
            indices = np.asarray(monitor.record, dtype=int) + getattr(source, "start", 0)
            owner, name, size = base.name, variable, len(base)
            if isinstance(source, Synapses) and (of := neuron_variable(source, variable)):
                # A variable of one of its neurons.
                owner, name, size = of[0].name, of[1], len(of[0])
                side = "_synaptic_pre" if variable.endswith("_pre") else "_synaptic_post"
                indices = np.asarray(source.variables[side].get_value())[indices]
            elif is_middle:
                owner, name = self.after_integration(to, base, variable)
            elif variable in getattr(base, "_linked_variables", ()):
                owner, name, indices = self.linked(to, base, variable, indices)
            recording = self.of.setdefault((owner, name), Recording(owner, name, size))
            # The end of a step is the start of the next one.
            late = is_late or is_middle
            recording.every = math.gcd(recording.every, math.gcd(every, to.start_step - late) if every > 1 else 1)
            recording.indices.update(indices.tolist())
            self.parts.append(Part(monitor, variable, recording, indices, every, late, is_middle))

    def notice_statements(self, to: Conversion, monitor: StateMonitor, name: str) -> None:
        """Notices statements at regular times that Brian 2 runs after a monitor has recorded, and Spikelet before."""
        if monitor.when not in START:
            return
        key = (START.index(monitor.when), monitor.order, monitor.name)
        for runner in to.runners.get(name, []):
            later = runner.when in START and (START.index(runner.when), runner.order, runner.name) > key
            if later and (changed := sorted(assigned(runner.abstract_code) & set(monitor.record_variables))):
                to.problems.note(
                    monitor.name,
                    "",
                    f"it shows {', '.join(f'`{of}`' for of in changed)} after the statements of `{runner.name}` at the same time, "
                    "Brian 2 before them, since the name of the monitor is earlier",
                    "Record with `order=1`, or at other times.",
                )

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
        line = f"d{copy}/dt = ({variable}_post - {copy})/dt : {declared(group.variables[variable].dim)} (clock-driven)"
        lines = projection["equations"].splitlines()
        if line not in lines:
            projection["equations"] = "\n".join([*lines, line])
        return name, copy

    def linked(self, to: Conversion, group: Any, name: str, indices: np.ndarray) -> tuple[str, str, np.ndarray]:
        """The source of a linked variable, which shows its present value."""
        entry = next((of for of in to.populations if of["name"] == group.name), {}).get("linked", {}).get(name)
        if entry is None:
            return group.name, name, indices
        index = entry.get("index")
        if index is not None:
            indices = np.full(len(indices), index) if isinstance(index, int) else np.asarray(index)[indices]
        return entry["population"], entry["var"], indices

    def event(self, to: Conversion, monitor: EventMonitor) -> None:
        """A spike or event monitor, which needs no recording unless it has variables.

        Their values at a spike are those before synapses and resets of the step. A projection of each neuron onto itself stores them, before
        all others, in variables that are recorded."""
        extra = sorted(set(monitor.record_variables) - {"i", "t"})
        if not extra:
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
