"""Records of spikes and variables, as PyNN's recorder asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyNN import recording
from pyNN.recording import *  # noqa: F403

from . import simulator
from .cells import spikelet_unit


class Recorder(recording.Recorder):
    """The recorder of a population. The simulation keeps what was recorded; times say what belongs to a segment."""

    _simulator = simulator

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Cells whose spikes are recorded from a later time on: the segment, and the time in ms.
        self.since: dict[int, tuple[int, float]] = {}

    def _record(self, variable: Any, new_ids: Any, sampling_interval: float | None = None) -> None:
        dt = simulator.state.dt
        if sampling_interval is not None:
            if abs(sampling_interval / dt - round(sampling_interval / dt)) > 1e-6 or sampling_interval < 0.999 * dt:
                raise ValueError(f"sampling_interval = {sampling_interval} ms is no multiple of the time step of {dt} ms")
            self.sampling_interval = sampling_interval
        if variable.name == "spikes" and simulator.state.step:
            self.since |= {int(cell): (simulator.state.segment_counter, simulator.state.t) for cell in new_ids}
        if variable.name != "spikes" and new_ids:
            neurons = sorted(self.population.id_to_index(cell) for cell in new_ids)
            simulator.state.record(
                self.population.name, self.variable(variable.name), neurons, self.every, self.unit(variable.name)
            )

    @property
    def every(self) -> float | None:
        """The interval of samples in ms; None for each step."""
        same = abs(self.sampling_interval - simulator.state.dt) < 1e-9
        return None if same else float(self.sampling_interval)

    def variable(self, name: str) -> str:
        """The variable in the network."""
        return self.population.celltype.variable(name)

    def unit(self, name: str) -> str:
        """PyNN's unit of a variable."""
        return spikelet_unit(self.population.celltype.units.get(name, "unknown"))

    def wanted(self) -> list[tuple[str, list[int]]]:
        """All variables to record, with the neurons."""
        index = self.population.id_to_index
        return [
            (self.variable(variable.name), sorted(index(cell) for cell in ids))
            for variable, ids in self.recorded.items()
            if variable.name != "spikes" and ids
        ]

    @property
    def start(self) -> float:
        """When the present record began, in ms."""
        return float(self._recording_start_time)

    def _spikes(self, ids: Any) -> tuple[np.ndarray, np.ndarray]:
        """Neurons and times of all spikes of some cells in the present record, in the order of time."""
        population, state = self.population, simulator.state
        if population.is_array:
            trains = population.trains()
            neurons = np.repeat(np.arange(population.size), [len(train) for train in trains])
            times = np.concatenate([*trains, np.zeros(0)])
        else:
            neurons, times = state.spikes(population.name, 1)
        wanted = np.zeros(population.size, dtype=bool)
        wanted[[population.id_to_index(cell) for cell in ids]] = True
        # A record that begins at a time has the spikes after it.
        after = times > self.start + 1e-9 if self.start > 0 else times >= 0
        begins = np.zeros(population.size)
        for cell, (segment, time) in self.since.items():
            if segment == state.segment_counter:
                begins[population.id_to_index(cell)] = time + 1e-9
        after &= times >= begins[neurons]
        chosen = wanted[neurons] & after & (times <= state.t + 1e-9)
        neurons, times = neurons[chosen], np.minimum(times[chosen], state.t)
        order = np.argsort(times, kind="stable")
        return neurons[order], times[order]

    def _get_spiketimes(self, id: Any, clear: bool = False) -> Any:
        neurons, times = self._spikes(id)
        return neurons + int(self.population.first_id), times

    def _get_all_signals(self, variable: Any, ids: Any, clear: bool = False) -> tuple[np.ndarray, Any]:
        if not ids:
            return np.zeros((0, 0)), None
        per = self.sampling_interval
        if abs(self.start / per - round(self.start / per)) > 1e-6:
            raise ValueError(
                f"{self.population.label}: the record of {variable.name} began at {self.start:g} ms, which is no multiple of its sampling interval "
                f"of {per:g} ms; clear it at such a time"
            )
        neurons = [self.population.id_to_index(cell) for cell in ids]
        name = self.population.name
        times, values = simulator.state.signal(
            name, self.variable(variable.name), neurons, self.start, per, self.unit(variable.name)
        )
        return values, times

    def _local_count(self, variable: Any, filter_ids: Any = None) -> dict[int, int]:
        ids = sorted(self.filter_recorded(variable, filter_ids))
        neurons, _ = self._spikes(ids)
        counts = np.bincount(neurons, minlength=self.population.size)
        return {int(cell): int(counts[self.population.id_to_index(cell)]) for cell in ids}

    def _clear_simulator(self) -> None:
        """Nothing: what is before the new start of the record is not read any more."""

    def _reset(self) -> None:
        """Nothing: PyNN forgets the list, and the next network does not record it."""
