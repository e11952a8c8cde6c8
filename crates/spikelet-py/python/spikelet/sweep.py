"""Grids of values, each with several trials."""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _spikelet
from ._spikelet import SpikeletError
from .device import device_request, quiet_drivers, trial_range
from .network import FileLike, NetworkLike, given_text, source
from .progress import watching
from .simulation import Simulation
from .warning import SpikeletWarning

if TYPE_CHECKING:
    import pandas


class Sweep:
    """A network with all combinations of some values, each in several trials. They run in parallel on one device, with one connectivity.

    Args:
        network, files: as of :class:`Simulation`.
        values: for each path, such as ``"E.taum"``, its values: texts with units, or numbers in the unit of the parameter.
        trials: number of trials of each combination, or the range of their numbers.
        measure: a function of the simulation at the end of each trial, whose dict of numbers becomes columns of the table. Trials then run
            one after the other.
        duration_ms, dt_ms, seed, backend, adapter, threads, precision, fast_math: as of :class:`Simulation`.

    >>> sweep = Sweep("cuba", {"E.taum": ["15 ms", "20 ms"]}, trials=2, duration_ms=50, backend="cpu")
    >>> sweep.run()
    >>> sweep.table["E.taum"].tolist()
    ['15 ms', '15 ms', '20 ms', '20 ms']
    >>> len(sweep.table["E rate_hz"])
    4
    """

    def __init__(
        self,
        network: NetworkLike,
        values: Mapping[str, Iterable[str | float]],
        *,
        trials: int | range = 1,
        measure: Callable[[Simulation], Mapping[str, Any]] | None = None,
        files: Mapping[str, FileLike] | None = None,
        duration_ms: float | None = None,
        dt_ms: float | None = None,
        seed: int | None = None,
        backend: str = "auto",
        adapter: int | str | None = None,
        threads: int | None = None,
        precision: str = "f32",
        fast_math: bool = False,
    ) -> None:
        found = source(network, files, duration_ms=duration_ms, dt_ms=dt_ms, seed=seed)
        device = device_request(backend, adapter, threads, precision, fast_math)
        #: The values of each path, as they were given.
        self.values = {path: list(given) for path, given in values.items()}
        for path, given in self.values.items():
            if not given:
                raise SpikeletError(f"the sweep has no values for {path}; give at least one")
        units = {path: _spikelet.parameter_unit(found.text, path) for path in self.values}
        texts = [(path, [given_text(path, value, units[path]) for value in given]) for path, given in self.values.items()]
        self._measure = measure
        options = {"backend": backend, "adapter": adapter, "threads": threads, "precision": precision, "fast_math": fast_math}
        self._open = lambda point, trial: Simulation(
            replace(found, text=_spikelet.network_with(found.text, point)), trials=range(trial, trial + 1), **options
        )
        # Combinations with their trials that have not been measured.
        points = itertools.product(*([(path, text) for text in of] for path, of in texts))
        self._waiting = [(list(point), trial) for point in points for trial in range(*trial_range(trials))]
        if measure is None:
            with quiet_drivers():
                self._points = _spikelet.Points(found.text, found.files, found.folder, device, texts, trial_range(trials))
        # Results have the values as texts, by which the given ones are found.
        self._given = {path: dict(zip(of, self.values[path], strict=True)) for path, of in texts}
        self._rows: list[dict[str, Any]] = []

    def __len__(self) -> int:
        """Number of trials of all combinations."""
        return len(self._waiting) + len(self._rows) if self._measure is not None else self._points.count()

    def __repr__(self) -> str:
        return f"<spikelet.Sweep of {', '.join(self.values) or 'trials'}: {len(self._rows)} of {len(self)} trials>"

    def run(self, *, progress: bool | Callable[[float, float], None] = False) -> None:
        """Runs what has not run.

        Raises:
            SpikeletError: the device failed.
            KeyboardInterrupt: after Ctrl-C. Finished trials are in the :attr:`table`, and ``run`` continues with the others.
        """
        if self._measure is not None:
            self._run_measured(progress)
            return
        with watching(progress, 0, len(self), "trials") as show:
            try:
                with quiet_drivers():
                    self._points.run(show)
            finally:
                self._rows += json.loads(self._points.take())
                for notice in self._points.notices():
                    warnings.warn(notice, SpikeletWarning, stacklevel=2)

    def _run_measured(self, progress: bool | Callable[[float, float], None]) -> None:
        opened, simulation = None, None
        with watching(progress, 0, len(self), "trials") as show:
            while self._waiting:
                point, trial = self._waiting[0]
                if simulation is None or point != opened:
                    opened, simulation = point, self._open(point, trial)
                else:
                    simulation.reset(trial)
                simulation.run()
                report = simulation.report()
                stopped = report["stopped"] and report["stopped"]["condition"]
                same = {
                    key: report[key] for key in ("time_ms", "spikes", "spikes_hash", "synaptic_events", "populations", "failure")
                }
                measured = dict(self._measure(simulation))
                self._rows.append({"values": point, "trial": trial, "stopped": stopped, "measured": measured} | same)
                self._waiting.pop(0)
                if show is not None:
                    show(len(self._rows))

    @property
    def table(self) -> dict[str, NDArray]:
        """A row per finished trial, as columns: the values, ``trial``, ``spikes``, ``spikes_hash``, ``synaptic_events``, and for each
        population ``rate_hz`` and ``cv_isi`` (NaN without neurons with four spikes); ``failure`` is the error of a trial that failed,
        ``stopped`` the condition that ended it.
        """
        order = {combination: index for index, combination in enumerate(itertools.product(*self._given.values()))}
        rows = sorted(self._rows, key=lambda row: (order[tuple(value for _, value in row["values"])], row["trial"]))
        columns: dict[str, list[Any]] = {path: [] for path in self.values}
        for row in rows:
            cells = {path: self._given[path][text] for path, text in row["values"]}
            cells |= {name: row[name] for name in ("trial", "time_ms", "spikes", "spikes_hash", "synaptic_events")}
            for population in row["populations"]:
                cells[f"{population['name']} rate_hz"] = population["rate_hz"]
                cells[f"{population['name']} cv_isi"] = np.nan if population["cv_isi"] is None else population["cv_isi"]
            cells |= row.get("measured", {})
            cells |= {name: row[name] or "" for name in ("stopped", "failure")}
            for name, value in cells.items():
                columns.setdefault(name, []).append(value)
        return {name: np.array(values) for name, values in columns.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """The table, for pandas."""
        import pandas

        return pandas.DataFrame(self.table)
