"""`from_brian2`: a network of Brian 2 as a network file with its edges."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from brian2 import Network, NeuronGroup, Quantity, Synapses, get_dimensions, second
from brian2.core.base import BrianObject
from brian2.core.namespace import get_local_namespace

from .convert import Conversion, objects_of
from .problems import BrianNotice, Problems, error


@dataclass
class BrianNetwork:
    """A converted network.

    `network` has the format of network files (docs/networks.md); `files` has the edges of its projections, by the names in `network`:
    columns `pre`, `post`, delays in ms and values in inner units (mV, ms, pA, nS, …). `notices` say what is not exactly as in Brian 2.
    """

    network: dict[str, Any]
    files: dict[str, dict[str, np.ndarray]]
    notices: list[str] = field(default_factory=list)

    def simulation(self, **options: Any) -> Any:
        """A `spikelet.Simulation` of the network; options are those of `Simulation` (backend, precision, threads, …)."""
        import spikelet

        return spikelet.Simulation(self.network, files=self.files, **options)

    def save(self, folder: str | Path) -> Path:
        """Writes `network.json` and the edge files into a folder, and returns the path of the network."""
        import json

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, columns in self.files.items():
            np.savez(folder / name, **columns)
        path = folder / "network.json"
        path.write_text(json.dumps(self.network))
        return path


def from_brian2(
    network: Network | BrianObject | Iterable[Any],
    *,
    namespace: Mapping[str, Any] | None = None,
    duration: Quantity | None = None,
    seed: int | None = None,
    name: str | None = None,
    level: int = 0,
) -> BrianNetwork:
    """Converts a Brian 2 network, or a list of its objects, as it is now.

    `namespace` has the constants of the equations; without it they are those of the caller, as for `run`. `duration` is the length of the
    run (1 second); spikes of a generator with a `period` are listed up to it. Present values of variables become initial values.

    Raises `SpikeletError` with all reasons, if something has no counterpart.
    """
    if namespace is None:
        namespace = get_local_namespace(level=level + 1)
    seconds = 1.0 if duration is None else float(np.asarray(duration))
    if duration is not None and get_dimensions(duration) != second.dim:
        raise error(f"`duration` is {duration}; a time is expected, as `1*second`.")
    conversion = Conversion(namespace=namespace, duration=seconds)
    if isinstance(network, Network):
        conversion.start = float(network.t)
    objects = objects_of(network)
    if isinstance(network, Network):
        check_schedule(conversion.problems, network)
        check_in_flight(conversion.problems, objects)
    conversion.convert(objects)
    notices = [str(notice) for notice in conversion.problems.notices]
    for notice in notices:
        warnings.warn(notice, BrianNotice, stacklevel=2 + level)
    title = name or getattr(network, "name", None) or "from Brian 2"
    return BrianNetwork(conversion.network(title, seed), conversion.files, notices)


def check_schedule(problems: Problems, network: Network) -> None:
    """Complains about an own order of the slots of a step."""
    usual = ["start", "groups", "thresholds", "synapses", "resets", "end"]
    if [of for of in network.schedule if not of.startswith(("before_", "after_"))] != usual:
        problems.add(
            network.name,
            "`schedule`",
            f"the order of a step is {', '.join(network.schedule)}",
            f"Spikelet has {', '.join(usual)}.",
        )


def check_in_flight(problems: Problems, objects: list[BrianObject]) -> None:
    """Complains about spikes on their way and refractory neurons of a network that Brian 2 has run before: their past is not in its variables."""
    way_out = "Convert the network before its first run, or run it until nothing is in flight."
    for of in objects:
        if isinstance(of, Synapses):
            for path in of._pathways:
                if path.queue is not None and any(np.size(spikes) for spikes in path.queue._full_state()[1]):
                    problems.add(of.name, f"the pathway `{path.objname}`", "spikes are on their way", way_out)
        elif (
            isinstance(of, NeuronGroup)
            and "not_refractory" in of.variables
            and not np.all(of.variables["not_refractory"].get_value())
        ):
            problems.add(of.name, "", "neurons are refractory", way_out)
