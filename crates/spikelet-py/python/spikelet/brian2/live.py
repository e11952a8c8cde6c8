"""A simulation that stays alive between the runs of a Brian 2 network."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import numpy as np
from brian2 import Network, NeuronGroup
from brian2.core.base import BrianObject

from ..warning import without_notices
from .convert import Conversion, State
from .event_driven import arrivals, brought_to, variables_of
from .fill import Filler, is_known, spikes_of
from .late import EndOfStep, Operation
from .monitors import monitor_key
from .problems import error
from .refractory import HELD, refractory_period
from .regular import DONE_BEFORE, EARLY, Key
from .units import inner, si


def structure(network: dict[str, Any], files: dict[str, dict[str, np.ndarray]], conversion: Conversion) -> str:
    """What cannot change while a simulation is alive: all of a network but its values, recordings and length."""
    plain = copy.deepcopy({key: of for key, of in network.items() if key not in ("duration_ms", "seed", "recordings")})
    paths = {of.path for of in conversion.states} | set(conversion.constant_values)
    for kind in ("populations", "projections", "sources"):
        for of in plain.get(kind, []):
            of.pop("initial", None)
            values = of.get("parameters", {})
            for name, value in values.items():
                if f"{of['name']}.{name}" in paths:
                    values[name] = "list" if isinstance(value, list) else "number"
            if "rate" in of and f"{of['name']}.rate" in paths:
                of["rate"] = "list" if isinstance(of["rate"], list) else "number"
    changing = {of.path for of in conversion.states if of.changes}
    edges = {}
    for name, columns in files.items():
        fixed = hashlib.sha256()
        for column in ("pre", "post", "delay_ms"):
            if column in columns:
                fixed.update(np.ascontiguousarray(columns[column]).tobytes())
        own = [column for column in sorted(columns) if f"{name.removesuffix('.npz')}.{column}" not in changing]
        edges[name] = [own, fixed.hexdigest()]
    return json.dumps([plain, edges], sort_keys=True)


class Live:
    """A simulation, and what Brian 2 and it knew of each other last."""

    def __init__(self, conversion: Conversion, network: dict[str, Any], options: dict[str, Any]) -> None:
        import spikelet

        self.conversion = conversion
        self.options = options
        self.network = network
        self.structure = structure(network, conversion.files, conversion)
        with without_notices():
            self.simulation = spikelet.Simulation(network, files=conversion.files, **options)
        self.start_step = conversion.start_step
        self.known: dict[str, np.ndarray] = {}
        self.constants = dict(conversion.constant_values)
        self.horizon = conversion.duration_steps
        #: What Brian 2 has done at the end of the last step, and the simulation will do at the start of the next one.
        self.late: EndOfStep | None = None
        #: What monitors have seen before operations of the step in which the simulation stands.
        self.seen: dict[tuple[str, str, int], np.ndarray] = {}
        self.last_spikes = {
            of.name: np.array(of.variables["lastspike"].get_value())
            for of in conversion.neuron_groups
            if "lastspike" in of.variables
        }
        self.orders: dict[str, np.ndarray] = {}
        #: Which synapses had an event since the simulation began.
        self.has_events: dict[str, np.ndarray] = {}
        self.remember()

    @property
    def objects(self) -> list[BrianObject]:
        """The groups and synapses that are simulated."""
        return [*self.conversion.neuron_groups, *self.conversion.others, *self.conversion.synapses]

    @property
    def time(self) -> float:
        """The time that the simulation has reached, in seconds of Brian 2."""
        return (self.start_step + self.simulation.step) * self.conversion.dt

    # Values from Brian 2 to the simulation.

    def remember(self, states: list[State] | None = None) -> None:
        """Notes the present values of Brian 2."""
        for of in self.conversion.states if states is None else states:
            self.known[of.path] = np.array(of.variable.get_value(), copy=True)

    def update(self, conversion: Conversion) -> None:
        """Sets what a script has changed since the last run."""
        self.conversion = conversion
        late, self.late = self.late, None
        if late is not None and not late.must_be_set and not self.is_changed(conversion, late):
            # The simulation does by itself what Brian 2 has done.
            self.late = late
            self.record()
            return
        for owner in late.owners if late is not None else ():
            self.simulation.set(f"{owner}.{DONE_BEFORE}", float(self.simulation.step))
        for of in conversion.states:
            present = of.variable.get_value()
            if np.array_equal(present, self.known.get(of.path)):
                continue
            given = present
            if of.is_event_driven:
                start = self.start_step * conversion.dt
                given = brought_to(of.synapses, start, conversion.namespace)[of.variable.name]
            values = np.atleast_1d(inner(given, of.dim))
            values = values[self.order(of)] if of.synapses is not None and len(values) > 1 else values
            self.simulation.set(of.path, values if len(values) > 1 else float(values[0]))
            self.known[of.path] = np.array(present, copy=True)
        for path, value in conversion.constant_values.items():
            if value != self.constants.get(path):
                self.simulation.set(path, value)
                self.constants[path] = value
        self.record()

    def see(self, key: Key, step: int) -> None:
        """Notes what monitors see at the start of a step, before an operation that comes later."""
        filler = Filler(self.simulation, self.conversion)
        for part in self.conversion.recordings.parts:
            monitor = part.monitor
            is_due = (self.start_step + step) % part.every == 0 and monitor.when in EARLY
            place = (monitor.name, part.variable, step)
            if is_due and monitor_key(monitor) < key and place not in self.seen:
                self.seen[place] = np.array(filler.present(monitor, part.variable))

    def is_changed(self, conversion: Conversion, late: EndOfStep | None) -> bool:
        """Whether a script has changed something since the end of the last step."""
        after = late.after if late is not None else {}
        if any(value != self.constants.get(path) for path, value in conversion.constant_values.items()):
            return True
        return any(
            not np.array_equal(of.variable.get_value(), after.get(of.path, self.known.get(of.path))) for of in conversion.states
        )

    def record(self) -> None:
        """Adds recordings for monitors that are new."""
        recorded = set(self.simulation.recorded)
        for of in self.conversion.recordings.of.values():
            missing = [index for index in sorted(of.indices) if f"{of.object}.{of.var}[{index}]" not in recorded]
            if missing:
                every = self.conversion.time_ms(of.every) if of.every > 1 else None
                self.simulation.record(f"{of.object}.{of.var}", missing, every_ms=every)

    def order(self, of: State) -> np.ndarray | slice:
        """The synapses of Brian 2 in the order of the simulation."""
        name = of.synapses.name
        if name not in self.orders:
            columns, table = self.conversion.files[f"{name}.npz"], self.simulation.synapses(name)
            same = np.array_equal(columns["pre"], table["pre"]) and np.array_equal(columns["post"], table["post"])
            self.orders[name] = (
                slice(None) if same else np.lexsort((np.arange(len(columns["pre"])), columns["post"], columns["pre"]))
            )
        return self.orders[name]

    # Values from the simulation to Brian 2.

    def read(self, first: int) -> None:
        """Writes the state of the simulation into the variables of Brian 2, after steps from `first` on."""
        for of in self.conversion.synapses:
            if variables_of(of):
                self.note_events(of, first)
        changing = [of for of in self.conversion.states if of.changes]
        for of in changing:
            values = np.asarray(self.simulation.get(of.path))
            variable = of.variable
            if of.synapses is not None and variable.get_value().size > 1:
                values = np.broadcast_to(values, variable.get_value().shape)
                ordered = np.empty(len(values))
                ordered[self.order(of)] = values
                values = ordered
            values = si(values, of.dim)
            dtype = variable.get_value().dtype
            values = np.round(values).astype(dtype) if dtype.kind in "biu" else values
            present = variable.get_value()
            values = values if present.size == values.size else values.reshape(-1)[0]
            if of.is_event_driven and not self.conversion.runners.get(of.synapses.name):
                # Brian 2 leaves the others as of an event before the simulation began.
                values = np.where(self.has_events[of.synapses.name], values, present)
            present[:] = values
        self.remember(changing)

    def note_events(self, synapses: Any, first: int) -> None:
        """Notes when the last event of each synapse arrived."""
        latest = arrivals(self.simulation, self.conversion, synapses, first, self.simulation.step)
        had = self.has_events.setdefault(synapses.name, np.zeros(len(latest), dtype=bool))
        had |= latest >= 0
        times = synapses.variables["lastupdate"].get_value()
        times[latest >= 0] = (latest[latest >= 0] + self.start_step) * self.conversion.dt

    def longest_delay(self, synapses: Any) -> int:
        """The longest delay of some synapses, in steps."""
        return max(
            (
                int(np.max(path.variables["delay"].get_value(), initial=0.0) / self.conversion.dt + 0.5)
                for path in synapses._pathways
            ),
            default=0,
        )

    def groups(self) -> list[Any]:
        """Groups that fire."""
        groups = (*self.conversion.neuron_groups, *self.conversion.others)
        return [of for of in groups if "spike" in getattr(of, "events", ()) and is_known(self.conversion, of.name)]

    def finish(self, first: int, operations: list[Operation]) -> None:
        """Monitors, what Brian 2 knows of the last spikes, and what it does at the end of a step, after steps from `first` on."""
        end = self.simulation.step
        for group in self.groups():
            steps, neurons = spikes_of(self.simulation, self.conversion, group, "spike", first, end)
            last = np.unique(neurons[steps == end - 1])
            space = group.variables["_spikespace"].get_value()
            space[: len(last)], space[-1] = last, len(last)
            if "lastspike" in group.variables:
                variable = group.variables["lastspike"].get_value()
                # Steps are in ascending order, so the last one of a neuron remains.
                variable[neurons] = (steps + self.start_step) * self.conversion.dt
                if "not_refractory" in group.variables:
                    group.variables["not_refractory"].get_value()[:] = self.not_refractory(group, variable)
        filler = Filler(self.simulation, self.conversion, self.last_spikes, self.seen)
        filler.fill(first, end)
        self.seen.clear()
        self.late = EndOfStep(self.conversion, self.known)
        self.late.execute(filler, self.start_step + end - 1, operations)

    def not_refractory(self, group: NeuronGroup, lastspike: np.ndarray) -> np.ndarray:
        """Which neurons are not refractory at the end of the last step."""
        period, dt = refractory_period(group), self.conversion.dt
        if period is None:
            return self.simulation.get(f"{group.name}.{HELD}") == 0
        elapsed = ((self.time - dt - lastspike + 1e-3 * dt) / dt).astype(int)
        return elapsed >= ((period + 1e-3 * dt) / dt).astype(int)

    # What would be lost.

    def in_flight(self) -> list[str]:
        """What a simulation that is built once more would not know: sentences."""
        to, step, found = self.conversion, self.simulation.step, []
        if step == 0:
            return found
        for of in to.synapses:
            longest = self.longest_delay(of)
            for side, part in (("pre", of.source), ("post", of.target)):
                if longest and any(path.prepost == side for path in of._pathways):
                    if count := len(spikes_of(self.simulation, to, part, "spike", step - longest, step)[0]):
                        found.append(f"{count} spikes of `{part.name}` are on their way in `{of.name}`")
        for group in to.neuron_groups:
            if group._refractory is False:
                continue
            period = refractory_period(group)
            longest = round(float(np.max(period)) / to.dt) if period is not None else 10**9
            count = len(np.unique(spikes_of(self.simulation, to, group, "spike", step - longest, step)[1]))
            if count and (period is not None or not np.all(group.variables["not_refractory"].get_value())):
                found.append(f"{count} neurons of `{group.name}` may be refractory")
        return found

    def check_rebuild(self, network: Network, why: str) -> None:
        """Raises if the network must be built once more, but spikes are in flight."""
        if lost := self.in_flight():
            raise error(
                f"`{network.name}` has changed at {network.t} in a way that needs another simulation ({why}), and {'; '.join(lost)}. "
                "Make all objects before the first run, change only values of variables between runs, or run until nothing is in flight."
            )
