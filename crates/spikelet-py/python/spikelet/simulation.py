"""Networks running on a device."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _spikelet
from ._spikelet import SpikeletError
from .device import device_request, quiet_drivers, trial_range, whole_number
from .network import FileLike, NetworkLike, given_text, source, with_unit
from .progress import watching
from .results import Spikes, Trace
from .warning import SpikeletWarning

#: From this many bytes of recorded values on, a run warns.
LARGE_BYTES = 2**31


def gpus() -> list[dict[str, Any]]:
    """The GPUs of this machine: ``name``, ``api``, and whether it is ``software``. Their order gives the numbers of ``adapter``."""
    with quiet_drivers():
        return [dict(zip(("name", "api", "software"), gpu, strict=True)) for gpu in _spikelet.adapters()]


class Simulation:
    """A network on a device, at a time. Its calls may come from any thread of the process that made it.

    Args:
        network: the name of a network of the catalogue, the path of a JSON file, JSON, or a dict (``docs/networks.md``).
        files: contents of files that the network names: columns as arrays, bytes, or the path of another file.
        backend: ``"auto"`` takes a GPU if there is one, else the CPU; ``"cpu"`` or ``"gpu"``. Spikes are the same on every CPU.
        adapter: the GPU, by its number in :func:`gpus` or a part of its name.
        threads: of the CPU; default: all cores.
        precision: ``"f64"`` is the reference, which shows what f32 rounds. It is slow, has one thread, and
            variables that are read or set are rounded to f32.
        trials: number of parallel runs, which differ in their noise, not in the network; or the range of their numbers.
        duration_ms, dt_ms, seed: replace those of the network.
        values: values that are set before the network is built, by their paths: ``{"E.size": 100, "brain.silenced": "type == 'KC'"}``; numbers are
            in the unit of the parameter.
        fast_math: faster arithmetic of the GPU, whose spikes are those of this device alone.

    Raises:
        SpikeletError: the network is not valid, or there is no such device.

    >>> simulation = Simulation("cuba", backend="cpu")
    >>> simulation
    <spikelet.Simulation of cuba: 4000 neurons, 0 ms, CPU, ...>
    """

    def __init__(
        self,
        network: NetworkLike,
        *,
        files: Mapping[str, FileLike] | None = None,
        backend: str = "auto",
        adapter: int | str | None = None,
        threads: int | None = None,
        precision: str = "f32",
        trials: int | range = 1,
        duration_ms: float | None = None,
        dt_ms: float | None = None,
        seed: int | None = None,
        values: Mapping[str, str | float] | None = None,
        fast_math: bool = False,
    ) -> None:
        found = source(network, files, duration_ms=duration_ms, dt_ms=dt_ms, seed=seed)
        if values:
            given = [
                (path, given_text(path, value, _spikelet.parameter_unit(found.text, path))) for path, value in values.items()
            ]
            found = replace(found, text=_spikelet.network_with(found.text, given))
        device = device_request(backend, adapter, threads, precision, fast_math)
        with quiet_drivers():
            self._engine = _spikelet.Engine(found.text, found.files, found.folder, device, trial_range(trials))
        self._warned = 0
        self._warn()

    def __reduce__(self) -> Any:
        raise TypeError(
            "a simulation cannot be copied or sent to another process; send its network and snapshot(), and restore() it there"
        )

    @cached_property
    def _description(self) -> dict[str, Any]:
        return json.loads(self._engine.description())

    def __repr__(self) -> str:
        of = self._description
        return f"<spikelet.Simulation of {of['name']}: {of['neurons']} neurons, {self.time_ms:g} ms, {self.backend}>"

    @property
    def backend(self) -> str:
        """The name of the device."""
        return self._engine.device()[0]

    @property
    def backend_reason(self) -> str:
        """Why it was chosen, as a sentence."""
        return self._engine.device()[1]

    @property
    def dt_ms(self) -> float:
        """The length of a step in ms."""
        return self._description["dt_ms"]

    @property
    def step(self) -> int:
        """The next step."""
        return self._engine.step()

    @property
    def time_ms(self) -> float:
        """The biological time in ms."""
        return self.step * self.dt_ms

    @property
    def network(self) -> dict[str, Any]:
        """The network, with all values that were set."""
        return json.loads(self._engine.network())

    @property
    def populations(self) -> dict[str, int]:
        """Names and sizes of populations and sources."""
        return {of["name"]: of["size"] for of in self._description["populations"]}

    @property
    def projections(self) -> dict[str, int]:
        """Names of projections, and their numbers of synapses."""
        return {of["name"]: of["synapses"] for of in self._description["projections"]}

    @property
    def variables(self) -> dict[str, str]:
        """The paths of all variables with a value per neuron or synapse, and their units."""
        return {of["path"]: of["unit"] for of in self._description["variables"]}

    def run(
        self,
        duration_ms: float | None = None,
        *,
        until: str | None = None,
        progress: bool | Callable[[float, float], None] = False,
    ) -> None:
        """Continues for ``duration_ms``; by default to the end of the network's own duration.

        Args:
            until: a condition that ends it, such as ``"spikes(E) > 100"`` (``docs/networks.md``, stop conditions).
            progress: ``True`` shows a bar; a function is called with the time that was reached and that of the end, in ms.

        Raises:
            SpikeletError: a state became infinite or NaN, the network has met one of its stop conditions before, or the device failed.
            KeyboardInterrupt: after Ctrl-C. What was recorded is kept, and ``run`` continues.
        """
        if not isinstance(duration_ms, (int, float, np.number, type(None))):
            raise TypeError(f"duration_ms is {duration_ms!r}, of type {type(duration_ms).__name__}; a number of ms is expected")
        steps = self._engine.steps(duration_ms)
        start = self.step
        samples = sum(steps / interval for _, _, interval in self._engine.channels())
        if samples * 4 > LARGE_BYTES:
            warnings.warn(
                f"the recorded values of this run take {samples * 4 / 2**30:.0f} GiB; record fewer neurons, or with every_ms",
                SpikeletWarning,
                stacklevel=2,
            )
        with watching(progress, start * self.dt_ms, (start + steps) * self.dt_ms) as show:
            watch = None if show is None else lambda step: show(max(step, start) * self.dt_ms)
            try:
                self._engine.run(steps, until, watch)
            finally:
                self._warn()

    def spikes(self, population: str | None = None, *, trial: int = 0) -> Spikes:
        """The spikes of a population or source, or of all, since the start.

        >>> simulation = Simulation("cuba", backend="cpu")
        >>> simulation.run(20)
        >>> simulation.spikes("E").times[:3]
        array([...])
        """
        known = {of["name"]: (of["first"], of["size"]) for of in self._description["populations"]}
        if population is None:
            first, size = 0, self._description["neurons"]
        elif population in known:
            first, size = known[population]
        else:
            raise SpikeletError(f"there is no population {population!r}; there are {', '.join(known)}")
        neurons, steps = self._engine.spikes(whole_number(trial, "trial"), first, size)
        return Spikes(neurons, steps, self.dt_ms, size, self.time_ms, population or "")

    def record(self, path: str, indices: int | slice | Iterable[int] | None = None, *, every_ms: float | None = None) -> None:
        """Records a variable from now on, before the update of each step, or every ``every_ms``. What is recorded at another interval already
        is recorded at this one from now on.

        Args:
            path: population or projection, and variable: ``"E.v"``, or a part of it: ``"E.v[0:10]"``.
            indices: of neurons or synapses, or a mask with a boolean for each; default: all.

        >>> simulation = Simulation("cuba", backend="cpu")
        >>> simulation.record("E.v", [0, 1])
        >>> simulation.run(1)
        >>> simulation.trace("E.v").values.shape
        (10, 2)
        """
        if not isinstance(path, str):
            raise TypeError(
                f"path is {path!r}, of type {type(path).__name__}; a text such as 'E.v' is expected, in a call for each"
            )
        name, _, variable = path.partition(".")
        if not variable:
            raise SpikeletError(f"{path!r} is not a variable; write population and variable, such as 'E.v'")
        if (part := re.fullmatch(r"(.+)\[(\d+)(?::(\d+))?\]", variable)) is not None and indices is None:
            variable, first, end = part.groups()
            indices = range(int(first), int(end) if end else int(first) + 1)
        path = f"{name}.{variable}"
        chosen = _indices(indices, lambda: self._count(path))
        known = {label: interval for label, _, interval in self._engine.channels()}
        every = 1 if every_ms is None else every_ms / self.dt_ms
        new = [index for index in chosen if abs(known.get(f"{path}[{index}]", 0) - every) > 1e-6 * every]
        if new:
            interval = {} if every_ms is None else {"every_ms": every_ms}
            self._engine.record(json.dumps([{"object": name, "var": variable, "indices": new} | interval]))

    def _count(self, path: str) -> int:
        """Number of neurons or synapses of a variable."""
        name = path.partition(".")[0]
        known = self.populations | self.projections
        if name not in known:
            raise SpikeletError(f"there is no population or projection {name!r}; there are {', '.join(known)}")
        return known[name]

    def trace(self, path: str, *, trial: int = 0) -> Trace:
        """Recorded values of a variable: all of them (``"E.v"``), one (``"E.v[3]"``), or a mean (``"mean(E.v[0:100])"``).

        Raises:
            SpikeletError: it is not recorded, or at several intervals.
        """
        channels = self._engine.channels()
        labels = [label for label, _, _ in channels if label == path or re.fullmatch(re.escape(path) + r"\[\d+\]", label)]
        labels = labels or [label for label, _, _ in channels if label.startswith(("mean(" + path + "[", "sum(" + path + "["))]
        steps, values = self._engine.samples(whole_number(trial, "trial"), labels or [path])
        unit = next(unit for label, unit, _ in channels if label == labels[0])
        return Trace(steps * self.dt_ms, values, labels, unit)

    @property
    def recorded(self) -> list[str]:
        """What is recorded: ``E.v[0]`` …"""
        return [label for label, _, _ in self._engine.channels()]

    def get(self, path: str, *, trial: int = 0) -> NDArray[np.float64]:
        """The values of a variable (``"E.v"``), or of a part of it (``"E.v[0:10]"``), at the end of the last step, in :meth:`unit`.

        A parameter that all neurons or synapses share has one value.

        >>> Simulation("cuba", backend="cpu").get("EE.we")
        array([1.62])
        """
        return self._engine.values(whole_number(trial, "trial"), path)

    def unit(self, path: str) -> str:
        """The unit of the values of a variable or parameter: mV, ms, pA, nS, pF, kHz …; ``1`` for pure numbers.

        It is that of the simulator: a variable that is declared in volt has values in mV, one in Hz values in kHz.
        """
        return self._engine.unit(path)

    def set(self, path: str, value: str | float | ArrayLike) -> None:
        """Sets a value from now on.

        Args:
            path: a variable or parameter (``"E.v"``, ``"E.taum"``, ``"EE.w"``, ``"E.v[0:10]"``), or another value of the network.
            value: a text with a unit or an expression (``"15 ms"``, ``"uniform(-60 mV, -50 mV)"``), a number, or one number per neuron or
                synapse; numbers are in the :meth:`unit` of the variable.
        """
        if isinstance(value, str):
            self._engine.set(path, value)
            return
        values = np.asarray(value)
        if values.ndim > 1 or values.dtype.kind not in "biuf":
            raise SpikeletError(
                f"{path} is set to values of shape {values.shape} and type {values.dtype}; give a number, or a one-dimensional array of numbers"
            )
        numbers = np.atleast_1d(values).astype(np.float64)
        if path.partition("[")[0] in self.variables:
            self._engine.set_values(path, numbers)
        elif numbers.size == 1:
            self._engine.set(path, with_unit(values.reshape(-1)[0], self._engine.parameter_unit(path)))
        else:
            self._engine.set(path, json.dumps(numbers.tolist()))

    def neurons(self, population: str) -> dict[str, list[str]]:
        """The table of the neurons of a population (``docs/connectomes.md``): for each column its texts, in the order of the neurons.

        ``pandas.DataFrame(simulation.neurons("brain"))`` makes a frame of it, whose rows are numbered as spikes number neurons.

        Raises:
            SpikeletError: there is no such population, or it has no table.
        """
        return dict(self._engine.neurons(population))

    def synapses(self, projection: str, *, trial: int = 0) -> dict[str, NDArray]:
        """All synapses of a projection: ``pre``, ``post``, ``delay_ms`` and every value that synapses have, at the current time.

        Weights are those that the simulator uses; values are in their units, see :meth:`unit`.
        """
        pre, post, columns = self._engine.synapses(whole_number(trial, "trial"), projection)
        return {"pre": pre, "post": post} | {name: values for name, _, values in columns}

    def snapshot(self) -> bytes:
        """The complete state, to continue bit by bit with :meth:`restore`, here or elsewhere."""
        return self._engine.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Continues from a snapshot of the same network. What was recorded before its time is kept."""
        self._engine.restore(bytes(snapshot))

    def reset(self, trial: int | None = None) -> None:
        """Returns to the start. ``trial`` chooses the noise; by default it stays the same. What was recorded is dropped."""
        self._engine.reset(None if trial is None else whole_number(trial, "trial"))
        self.__dict__.pop("_description", None)

    def report(self, *, trial: int = 0) -> dict[str, Any]:
        """Rates and irregularity of populations, number and hash of spikes, speed."""
        return json.loads(self._engine.report(whole_number(trial, "trial")))

    def to_neo(self, *, trial: int = 0) -> Any:
        """All spikes and traces as a block of Neo."""
        from .neo import block

        return block(self, trial)

    def _warn(self) -> None:
        """Notices that were not shown yet, as warnings."""
        notices = self._engine.device()[2]
        for notice in notices[self._warned :]:
            warnings.warn(notice, SpikeletWarning, stacklevel=3)
        self._warned = len(notices)


def _indices(indices: int | slice | Iterable[int] | None, count: Callable[[], int]) -> list[int]:
    if indices is None:
        return list(range(count()))
    if isinstance(indices, slice):
        return list(range(count())[indices])
    if hasattr(indices, "__index__") and np.ndim(indices) == 0:
        return [whole_number(indices, "indices")]
    found = np.asarray(list(indices))
    if found.ndim != 1:
        raise SpikeletError(
            f"indices have shape {found.shape}; give a number, a list of numbers, or a mask with a value for each"
        )
    if found.dtype.kind == "b":
        if len(found) != count():
            raise SpikeletError(
                f"indices are a mask of {len(found)} values; give one for each of the {count()} neurons or synapses"
            )
        found = np.flatnonzero(found)
    return [whole_number(index, "indices") for index in found.tolist()]
