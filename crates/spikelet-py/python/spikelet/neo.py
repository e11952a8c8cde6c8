"""Results in the objects of Neo, which Elephant reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import neo

    from .simulation import Simulation


def block(simulation: Simulation, trial: int = 0) -> neo.Block:
    """A block with one segment: a spike train per neuron, and a signal per recorded variable."""
    import neo

    name = simulation.network["name"]
    made = neo.Block(name=name, description=f"{name}, simulated by Spikelet on {simulation.backend}")
    segment = neo.Segment(name=f"trial {trial}")
    made.segments.append(segment)
    for population in simulation.populations:
        for train in simulation.spikes(population, trial=trial).to_neo():
            train.annotate(population=population)
            segment.spiketrains.append(train)
    paths = dict.fromkeys(label.rpartition("[")[0] for label in simulation.recorded if label.endswith("]"))
    for path in paths:
        signal = simulation.trace(path, trial=trial).to_neo()
        signal.name = path
        segment.analogsignals.append(signal)
    return made
