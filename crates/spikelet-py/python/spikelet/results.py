"""What a simulation has recorded, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._spikelet import SpikeletError

if TYPE_CHECKING:
    import neo
    import pandas


@dataclass(frozen=True, eq=False)
class Spikes:
    """Spikes, in the order of time, and of neurons within a step.

    A spike of step k crosses the threshold at the end of the step; its time is that of its start, k·dt, as in Brian 2.
    """

    #: The neuron of each, by its index in the population (in the network, where no population was chosen).
    neurons: NDArray[np.uint32]
    #: The step of each.
    steps: NDArray[np.uint32]
    #: The length of a step in ms.
    dt_ms: float
    #: Number of neurons.
    size: int
    #: Time of the end in ms.
    end_ms: float
    #: The population; empty for the whole network.
    population: str = ""
    #: Time of the start in ms.
    start_ms: float = 0.0

    @property
    def times(self) -> NDArray[np.float64]:
        """The time of each in ms."""
        return self.steps * self.dt_ms

    def __len__(self) -> int:
        return len(self.neurons)

    def __repr__(self) -> str:
        of = f" of {self.population}" if self.population else ""
        time = f"{self.start_ms:g} to {self.end_ms:g} ms" if self.start_ms else f"{self.end_ms:g} ms"
        return f"<{len(self)} spikes{of}, {self.size} neurons, {time}>"

    @property
    def duration_ms(self) -> float:
        """The time from start to end in ms."""
        return self.end_ms - self.start_ms

    def between(self, start_ms: float = 0.0, end_ms: float | None = None) -> Spikes:
        """Those from a time on, until before another one; rates are those of this time.

        Raises:
            SpikeletError: the times are not in the recorded time, in this order.
        """
        end_ms = self.end_ms if end_ms is None else end_ms
        if not self.start_ms <= start_ms < end_ms <= self.end_ms:
            recorded = f"{self.start_ms:g} to {self.end_ms:g} ms are recorded"
            raise SpikeletError(f"there is no time from {start_ms:g} to {end_ms:g} ms; {recorded}")
        first, end = np.searchsorted(self.steps, [round(ms / self.dt_ms) for ms in (start_ms, end_ms)])
        return replace(self, neurons=self.neurons[first:end], steps=self.steps[first:end], start_ms=start_ms, end_ms=end_ms)

    def of(self, neurons: slice | ArrayLike) -> Spikes:
        """Those of some neurons, which are numbered by their place among these: ``spikes.of(slice(0, 50))``."""
        chosen = np.arange(self.size)[neurons]
        places = np.full(self.size, -1)
        places[chosen] = np.arange(len(chosen))
        is_chosen = places[self.neurons] >= 0
        numbers = places[self.neurons[is_chosen]].astype(np.uint32)
        return replace(self, neurons=numbers, steps=self.steps[is_chosen], size=len(chosen))

    def intervals(self) -> list[NDArray[np.float64]]:
        """The intervals in ms between the spikes of each neuron."""
        return [np.diff(train) for train in self.trains()]

    def cv(self, minimum: int = 4) -> float:
        """Mean coefficient of variation of the intervals, over neurons with at least ``minimum`` spikes; NaN if there are none."""
        intervals = [of for of in self.intervals() if len(of) >= max(minimum - 1, 1)]
        return float(np.mean([of.std() / of.mean() for of in intervals])) if intervals else float("nan")

    def counts(self) -> NDArray[np.int64]:
        """Number of spikes of each neuron."""
        return np.bincount(self.neurons, minlength=self.size)

    def trains(self) -> list[NDArray[np.float64]]:
        """The times in ms of each neuron's spikes."""
        order = np.argsort(self.neurons, kind="stable")
        return np.split(self.times[order], np.cumsum(self.counts())[:-1])

    def rate(self) -> float:
        """Mean rate in Hz."""
        return 1000 * len(self) / self.size / self.duration_ms if self.size and self.duration_ms else 0.0

    def rates(self, window_ms: float = 5.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rate of the population over time: the starts of windows in ms, and the mean rate in each in Hz.

        Windows are rounded to whole steps. The last one is left out if the simulation ended within it.

        Raises:
            SpikeletError: a window is shorter than a step, or endless.
        """
        if not self.dt_ms * (1 - 1e-6) <= window_ms < np.inf:
            raise SpikeletError(f"window_ms is {window_ms:g}; a window has at least one step, which is {self.dt_ms:g} ms")
        steps = round(window_ms / self.dt_ms)
        first = round(self.start_ms / self.dt_ms)
        count = round(self.duration_ms / self.dt_ms) // steps
        spikes = np.bincount((self.steps - first) // steps, minlength=count)[:count]
        return self.start_ms + np.arange(count) * steps * self.dt_ms, spikes * 1000 / (steps * self.dt_ms * max(self.size, 1))

    def to_pandas(self) -> pandas.DataFrame:
        """A table with the columns ``neuron`` and ``time_ms``."""
        import pandas

        return pandas.DataFrame({"neuron": self.neurons, "time_ms": self.times})

    def to_neo(self) -> list[neo.SpikeTrain]:
        """A spike train of Neo for each neuron, which Elephant reads."""
        import neo

        make = neo.SpikeTrain
        ends = {"t_start": self.start_ms, "t_stop": self.end_ms}
        return [make(times, units="ms", **ends, neuron=index) for index, times in enumerate(self.trains())]

    def plot(self, axes: Any = None, **style: Any) -> Any:
        """A raster, on these axes of Matplotlib, or on new ones. Returns them."""
        axes = _axes(axes)
        axes.plot(self.times, self.neurons, **({"marker": ".", "linestyle": "", "markersize": 2, "color": "C0"} | style))
        axes.set(xlabel="time (ms)", ylabel=f"neuron of {self.population}" if self.population else "neuron")
        axes.set_xlim(self.start_ms, self.end_ms or None)
        return axes


@dataclass(frozen=True, eq=False)
class Trace:
    """Recorded values over time."""

    #: Times in ms.
    times: NDArray[np.float64]
    #: Values in ``unit``: a row per time, a column per neuron or synapse.
    values: NDArray[np.float64]
    #: What each column is: ``E.v[3]``.
    labels: list[str]
    #: The unit of all values; empty for pure numbers.
    unit: str

    @property
    def indices(self) -> NDArray[np.int64]:
        """The neuron or synapse of each column; -1 for a mean or a sum."""
        return np.array([int(label.rpartition("[")[2][:-1]) if label[-1:] == "]" else -1 for label in self.labels])

    def __repr__(self) -> str:
        of = self.labels[0] if len(self.labels) == 1 else f"{len(self.labels)} values, {self.labels[0]} …"
        return f"<trace of {of}, {len(self.times)} samples in {self.unit or '1'}>"

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a column per value, indexed by the time in ms."""
        import pandas

        return pandas.DataFrame(self.values, index=pandas.Index(self.times, name="time_ms"), columns=self.labels)

    def to_neo(self) -> neo.AnalogSignal:
        """A signal of Neo; the samples must be equidistant."""
        import neo
        import quantities

        interval = self.times[1] - self.times[0] if len(self.times) > 1 else 1.0
        units = quantities.dimensionless if self.unit in ("", "1") else self.unit
        start = self.times[0] if len(self.times) else 0.0
        names = {"channel_names": np.array(self.labels)}
        return neo.AnalogSignal(
            self.values,
            units=units,
            sampling_period=interval * quantities.ms,
            t_start=start * quantities.ms,
            array_annotations=names,
        )

    def plot(self, axes: Any = None, **style: Any) -> Any:
        """Lines, on these axes of Matplotlib, or on new ones. Returns them."""
        axes = _axes(axes)
        axes.plot(self.times, self.values, label=self.labels, **style)
        name = self.labels[0].partition("[")[0] if self.labels else ""
        axes.set(xlabel="time (ms)", ylabel=f"{name} ({self.unit})" if self.unit else name)
        if 1 < len(self.labels) <= 8:
            axes.legend(frameon=False)
        return axes


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.gca()
