"""Sources of current. A source is a line in the equations of the cells that it is injected into; noise is a population of its own."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pyNN.parameters import ParameterSpace, Sequence
from pyNN.standardmodels import electrodes

from ..warning import SpikeletWarning
from . import simulator
from .cells import identity

if TYPE_CHECKING:
    from .populations import Population

# Steps of a current up to this number interrupt the run; more are a function of time.
FEW = 64


class CurrentSource:
    """A source that is injected into neurons of any populations."""

    units: ClassVar[dict[str, Any]] = {
        "amplitude": "nA",
        "offset": "nA",
        "mean": "nA",
        "stdev": "nA",
        "start": "ms",
        "stop": "ms",
        "frequency": "Hz",
        "phase": "1",
        "now": "nA",
    }
    dimensions: ClassVar[dict[str, Any]] = {"nA": "amp", "ms": "second", "Hz": "Hz", "1": "1"}
    current = ""
    parameters: tuple[str, ...] = ()

    def __init__(self, **parameters: Any) -> None:
        object.__setattr__(self, "number", len(simulator.state.current_sources))
        object.__setattr__(self, "targets", {})
        object.__setattr__(self, "slots", [])
        object.__setattr__(self, "_recorded", False)
        object.__setattr__(self, "_history", [])
        super().__init__(**parameters)
        self._values: dict[str, Any] = {}
        simulator.state.current_sources.append(self)
        self.parameter_space.shape = (1,)
        self.set_native_parameters(self.translate(self.parameter_space))

    @property
    def name(self) -> str:
        """Its name in the network."""
        return f"current{self.number}"

    def inject_into(self, cells: Any) -> None:
        """Injects the current into a population, view, assembly or list of cells."""
        simulator.state.must_not_be_built("inject_into(): a current source")
        for cell in getattr(cells, "all_cells", cells):
            if not cell.celltype.injectable:
                raise TypeError(f"Can't inject current into a {type(cell.celltype).__name__}.")
            population = cell.parent
            times = self.targets.setdefault(population, np.zeros(population.size))
            times[population.id_to_index(cell)] += 1

    # --- parameters

    def get_native_parameters(self) -> ParameterSpace:
        return ParameterSpace({name: value for name, value in self._values.items()}, shape=(1,))

    def get_parameters(self) -> dict[str, Any]:
        return {name: np.asarray(value.value) if isinstance(value, Sequence) else value for name, value in self._values.items()}

    def set_native_parameters(self, parameters: ParameterSpace) -> None:
        parameters.evaluate(simplify=True)
        changed = self.checked({name: value for name, value in parameters.items()})
        # What the current was until now, for a record of it.
        self._history.append((simulator.state.step, dict(self._values)))
        self._values.update(changed)
        if simulator.state.built:
            self.changed(changed)

    def checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """New values, with times in steps."""
        return {
            name: float(self.on_steps(name, value)) if name in ("start", "stop") else float(value)
            for name, value in values.items()
        }

    def on_steps(self, name: str, times: Any) -> np.ndarray:
        """Times rounded to steps, as in NEST; a warning names the first one that lies within a step."""
        dt = simulator.state.dt
        given = np.asarray(times, dtype=float)
        rounded = np.rint(given / dt) * dt
        within = np.abs(given - rounded) > 1e-6 * dt + 1e-12 * np.abs(given)
        if within.any():
            first = np.flatnonzero(within.ravel())[0]
            warnings.warn(
                f"{type(self).__name__}: `{name}` has {given.ravel()[first]:g} ms, within a step of {dt:g} ms; the current changes "
                f"at {rounded.ravel()[first]:.12g} ms. Use multiples of the time step, or a shorter one.",
                SpikeletWarning,
                stacklevel=2,
            )
        return rounded

    def changed(self, values: dict[str, Any]) -> None:
        """Sets new values during a run."""
        for slot in self.slots:
            for name in values:
                if name in self.parameters:
                    slot.send(name)

    def given(self, name: str) -> float:
        """The value of a parameter in the equations: a phase is given in degrees."""
        return float(np.deg2rad(self._values[name]) if name == "phase" else self._values[name])

    # --- the network

    @property
    def shares(self) -> bool:
        """Whether sources of its kind share lines of equations, with parameters of each neuron."""
        return True

    def lines(self, population: Population) -> tuple[str, str, dict[str, tuple[Any, str]]]:
        """For a source that shares no lines: the term of the current, lines of equations, and values with units."""
        raise NotImplementedError

    def masked(self, population: Population, term: str) -> tuple[str, list[str], dict[str, tuple[Any, str]]]:
        """The term for those neurons alone that it is injected into."""
        times = self.targets[population]
        if (times == 1).all():
            return term, [], {}
        return f"{self.name}_on*{term}", [f"{self.name}_on : 1 (constant)"], {f"{self.name}_on": (times, "1")}

    def steps(self) -> list[int]:
        """The steps at which the run is interrupted to change the current."""
        return []

    def apply(self, step: int) -> None:
        """Sets the current of the steps from this one on."""

    def populations(self) -> list[dict[str, Any]]:
        """Populations that it needs."""
        return []

    # --- its record

    def record(self) -> None:
        """Records the current."""
        object.__setattr__(self, "_recorded", True)

    def _get_data(self) -> tuple[np.ndarray, np.ndarray]:
        if not self._recorded:
            raise RuntimeError(f"{type(self).__name__}.get_data(): call record() before the run")
        state = simulator.state
        times = np.arange(state.step + 1) * state.dt
        current = np.zeros(len(times))
        starts = [step for step, _ in self._history[1:]]
        values = [values for _, values in self._history[1:]] + [dict(self._values)]
        for first, last, of in zip([0, *starts], [*starts, len(times)], values, strict=True):
            current[first:last] = self.at(times[first:last], of)
        return times, current

    def at(self, times: np.ndarray, values: dict[str, Any]) -> np.ndarray:
        """The current at these times, in nA."""
        raise NotImplementedError


class Slot:
    """Lines of equations for sources of one kind that reach different neurons of a population: each neuron has the values of its source."""

    def __init__(self, population: Population, kind: type, number: int) -> None:
        self.population, self.kind = population, kind
        self.name = f"{kind.__name__}_{number}"
        self.sources: list[tuple[Any, np.ndarray]] = []
        self.taken = np.zeros(population.size, dtype=bool)

    def array(self, name: str) -> np.ndarray:
        """The values of a parameter; 0 in neurons without a source, which turns it off."""
        values = np.zeros(self.population.size)
        for source, neurons in self.sources:
            values[neurons] = source.given(name)
        return values

    def send(self, name: str) -> None:
        """Sets a parameter in the running simulation."""
        simulator.state.set(f"{self.population.name}.{self.name}_{name}", self.array(name), self.kind.units[name])

    def lines(self) -> tuple[str, str, dict[str, tuple[Any, str]]]:
        """The term of the current, lines of equations, and values with units."""
        values = {f"{self.name}_{name}": (self.array(name), self.kind.units[name]) for name in self.kind.parameters}
        lines = [f"{name} : {self.kind.dimensions[unit]} (constant)" for name, (_, unit) in values.items()]
        return self.kind.current.format(name=self.name), "\n".join(lines), values


def slots(sources: list[Any], population: Population) -> list[Slot]:
    """Those of all sources into a population that share lines."""
    made: list[Slot] = []
    for source in sources:
        if population not in source.targets or not source.shares:
            continue
        times = source.targets[population]
        for layer in range(int(times.max())):
            neurons = times > layer
            free = next((slot for slot in made if slot.kind is type(source) and not (slot.taken & neurons).any()), None)
            if free is None:
                free = Slot(population, type(source), len(made))
                made.append(free)
            free.sources.append((source, neurons))
            free.taken |= neurons
            source.slots.append(free)
    return made


def within(times: np.ndarray, values: dict[str, Any]) -> np.ndarray:
    """Whether the current is on."""
    early = 1e-6 * simulator.state.dt
    return (times >= values["start"] - early) & (times < values["stop"] - early)


ON = "int(t >= {name}_start and t < {name}_stop)"


class DCSource(CurrentSource, electrodes.DCSource):
    __doc__ = electrodes.DCSource.__doc__
    translations = identity(electrodes.DCSource.default_parameters)
    parameters = ("amplitude", "start", "stop")
    current = "{name}_amplitude*" + ON

    def at(self, times: np.ndarray, values: dict[str, Any]) -> np.ndarray:
        return values["amplitude"] * within(times, values)


class ACSource(CurrentSource, electrodes.ACSource):
    __doc__ = electrodes.ACSource.__doc__
    translations = identity(electrodes.ACSource.default_parameters)
    parameters = ("amplitude", "offset", "frequency", "phase", "start", "stop")
    current = "({name}_offset + {name}_amplitude*sin(2*pi*{name}_frequency*(t - {name}_start) + {name}_phase))*" + ON

    def at(self, times: np.ndarray, values: dict[str, Any]) -> np.ndarray:
        angle = 2e-3 * np.pi * values["frequency"] * (times - values["start"]) + np.deg2rad(values["phase"])
        return (values["offset"] + values["amplitude"] * np.sin(angle)) * within(times, values)


class StepCurrentSource(CurrentSource, electrodes.StepCurrentSource):
    __doc__ = electrodes.StepCurrentSource.__doc__
    translations = identity(electrodes.StepCurrentSource.default_parameters)

    def checked(self, values: dict[str, Any]) -> dict[str, Any]:
        given = {**self._values, **values}
        times = np.asarray(getattr(given["times"], "value", given["times"]), dtype=float)
        amplitudes = np.asarray(getattr(given["amplitudes"], "value", given["amplitudes"]), dtype=float)
        if len(times) and times.min() < 0:
            raise ValueError("Step current cannot accept negative timestamps.")
        if len(times) > 1 and np.diff(times).min() <= 0:
            raise ValueError("Step current timestamps should be monotonically increasing.")
        if len(times) != len(amplitudes):
            raise ValueError(
                f"StepCurrentSource: {len(times)} times and {len(amplitudes)} amplitudes; their numbers must be equal"
            )
        # Of several times in one step the last counts.
        steps = np.rint(self.on_steps("times", times) / simulator.state.dt).astype(int)
        last = np.append(steps[1:] != steps[:-1], True)[: len(steps)]
        return {"times": Sequence(steps[last] * simulator.state.dt), "amplitudes": Sequence(amplitudes[last])}

    applied = 0.0
    was_few = True

    @property
    def few(self) -> bool:
        """Whether its steps interrupt the run."""
        return len(self._values["times"].value) <= FEW

    def steps(self) -> list[int]:
        """The steps at which the run is interrupted."""
        return [round(time / simulator.state.dt) for time in self._values["times"].value] if self.few else []

    parameters = ("now",)
    current = "{name}_now"

    def apply(self, step: int) -> None:
        value = float(self.at(np.array([step * simulator.state.dt]), self._values)[0])
        if self.few and value != self.applied:
            self.applied = value
            for slot in self.slots:
                slot.send("now")

    def given(self, name: str) -> float:
        return self.applied

    @property
    def shares(self) -> bool:
        self.was_few = self.few
        self.applied = float(self.at(np.array([0.0]), self._values)[0])
        return self.few

    def changed(self, values: dict[str, Any]) -> None:
        if not (self.few and self.was_few) and self.targets:
            raise NotImplementedError(
                f"StepCurrentSource: more than {FEW} steps cannot be changed during a run in Spikelet; set them before the first run or after reset()"
            )

    def lines(self, population: Population) -> tuple[str, str, dict[str, tuple[Any, str]]]:
        name = f"{self.name}_now"
        term, lines, mask = self.masked(population, name)
        dt, times = simulator.state.dt, self._values["times"].value
        grid = np.arange(round(times[-1] / dt) + 1) * dt
        timed = {"timed": self.at(grid, self._values).tolist(), "dt": f"{dt!r} ms", "unit": "nA"}
        return term, "\n".join(lines), {name: (timed, "nA"), **mask}

    def at(self, times: np.ndarray, values: dict[str, Any]) -> np.ndarray:
        amplitudes = np.append(0.0, np.asarray(values["amplitudes"].value))
        return amplitudes[np.searchsorted(np.asarray(values["times"].value) - 1e-6 * simulator.state.dt, times, side="right")]


class NoisyCurrentSource(CurrentSource, electrodes.NoisyCurrentSource):
    __doc__ = electrodes.NoisyCurrentSource.__doc__
    translations = identity(electrodes.NoisyCurrentSource.default_parameters)

    @property
    def shares(self) -> bool:
        return False

    # All neurons have the same noise: one population of a neuron draws it, and their equations are linked to it.
    def lines(self, population: Population) -> tuple[str, str, dict[str, tuple[Any, str]]]:
        name = f"{self.name}_now"
        term, lines, mask = self.masked(population, name)
        return term, "\n".join([f"{name} : amp (linked)", *lines]), mask

    def populations(self) -> list[dict[str, Any]]:
        step, every = simulator.state.dt, self._values["dt"]
        if abs(every / step - round(every / step)) > 1e-6 or every < step * 0.999:
            raise ValueError(f"NoisyCurrentSource: dt = {every} ms is no multiple of the time step of {step} ms")
        names = ("mean", "stdev", "start", "stop")
        lines = "\n".join(f"{name} : {self.dimensions[self.units[name]]} (constant)" for name in names)
        return [
            {
                "name": self.name,
                "size": 1,
                "equations": f"now = (mean + stdev*drawn)*int(t >= start and t < stop) : amp\ndrawn : 1\n{lines}",
                "parameters": {name: f"{self._values[name]!r} {self.units[name]}" for name in names},
                "run_regularly": [{"every_ms": every, "start_ms": self._values["start"], "statements": "drawn = randn()"}],
            }
        ]

    def changed(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if name == "dt":
                raise NotImplementedError(
                    "NoisyCurrentSource: dt cannot be changed during a run in Spikelet; set it before the first run"
                )
            simulator.state.set(f"{self.name}.{name}", value, self.units[name])

    def _get_data(self) -> tuple[np.ndarray, np.ndarray]:
        if not self._recorded:
            raise RuntimeError("NoisyCurrentSource.get_data(): call record() before the run")
        times, values = simulator.state.signal(self.name, "now", [0], 0.0, simulator.state.dt)
        return times, values[:, 0]

    def record(self) -> None:
        super().record()
        simulator.state.record(self.name, "now", [0], None, "nA")
