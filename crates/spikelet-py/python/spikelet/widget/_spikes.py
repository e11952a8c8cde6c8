"""Spikes that arrive from the page."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._spikelet import SpikeletError
from ..results import Spikes
from ._network import in_words


@dataclass
class SpikeStore:
    """Collects the messages of pages; they come from another thread in some kernels."""

    _neurons: list[np.ndarray] = field(default_factory=list)
    _steps: list[np.ndarray] = field(default_factory=list)
    _until_ms: float = 0.0
    _run: tuple[str, int] | None = None
    _seen: dict[str, int] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.Lock)
    populations: dict[str, tuple[int, int]] = field(default_factory=dict)
    dt_ms: float = 0.1
    #: The page that counts, if several windows show the widget: the one that has built the network last.
    page: str = ""
    #: Number of neurons of the network.
    size: int = 0

    def receive(self, message: dict[str, Any], buffers: list[Any]) -> None:
        """Adds the spikes of a message, unless it was sent twice, or by a page that does not count; another run replaces what is here."""
        page, number = message["page"], message["number"]
        neurons, steps = (np.frombuffer(bytes(buffer), np.uint32) for buffer in buffers)
        if len(neurons) != len(steps):
            raise SpikeletError(f"the page sent {len(neurons)} neurons and {len(steps)} steps of spikes; expected as many")
        with self._lock:
            if page != self.page or number <= self._seen.get(page, 0):
                return
            self._seen[page] = number
            if self._run != (page, message["run"]):
                self._run = (page, message["run"])
                self._neurons, self._steps, self._until_ms = [], [], 0.0
            self._neurons.append(neurons)
            self._steps.append(steps)
            until = message.get("until_ms")
            if until is not None:
                self._until_ms = float(until)
            elif len(steps):
                self._until_ms = float(steps[-1]) * self.dt_ms

    def spikes(self, population: str | None) -> Spikes:
        """All spikes, or those of a population."""
        with self._lock:
            # Joined once: later calls join only what is new.
            self._neurons = [np.concatenate([np.empty(0, np.uint32), *self._neurons])]
            self._steps = [np.concatenate([np.empty(0, np.uint32), *self._steps])]
            neurons, steps, until = self._neurons[0], self._steps[0], self._until_ms
        size = self.size
        if population is not None:
            if population not in self.populations:
                there = ", ".join(self.populations) or "none before the network is built in the page"
                raise SpikeletError(f"there is no population {in_words(population)}; there are {there}")
            first, size = self.populations[population]
            chosen = (neurons >= first) & (neurons < first + size)
            neurons, steps = neurons[chosen] - np.uint32(first), steps[chosen]
        neurons, steps = neurons.view(), steps.view()
        neurons.flags.writeable = steps.flags.writeable = False
        return Spikes(neurons, steps, self.dt_ms, size, until, population or "")
