"""Event-driven variables: Brian 2 keeps the value after the last event of a synapse, and the time of this event as `lastupdate`.

A simulation counts from its start where there was no event since. So it begins with values that are brought to this time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import Synapses
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.stateupdaters.exact import linear

from .fill import spikes_of
from .whole import whole

if TYPE_CHECKING:
    from .convert import Conversion


def variables_of(synapses: Synapses) -> set[str]:
    """The event-driven variables."""
    return set(synapses.event_driven.diff_eq_names) if synapses.event_driven is not None else set()


def brought_to(synapses: Synapses, start: float, namespace: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Their values at a time, or after their last event if it was later, in SI units."""
    names = variables_of(synapses)
    if not names:
        return {}
    arrays = {name: synapses.variables[name].get_value() for name in names}
    kept = {name: np.array(of) for name, of in arrays.items()}
    elapsed = start - np.asarray(synapses.variables["lastupdate"].get_value())
    if not (elapsed > 0).any():
        return kept
    update = linear(synapses.event_driven, synapses.variables)
    code = re.sub(r"\bdt\b", f"({start!r} - lastupdate)", update)
    run = create_runner_codeobj(
        synapses,
        code,
        "stateupdate",
        name=f"{synapses.name}_brought*",
        check_units=False,
        run_namespace=namespace,
    )
    try:
        run()
        return {name: np.where(elapsed > 0, of, kept[name]) for name, of in arrays.items()}
    finally:
        for name, of in arrays.items():
            of[:] = kept[name]


def arrivals(simulation: Any, to: Conversion, synapses: Synapses, first: int, end: int) -> np.ndarray:
    """The last step, from `first` to before `end` of a simulation, in which an event of each synapse arrived; -1 if none did."""
    latest = np.full(len(synapses), -1)
    if not synapses.active or len(synapses) == 0:
        return latest
    for path in synapses._pathways:
        if not path.active:
            continue
        side, group = ("_synaptic_pre", synapses.source) if path.prepost == "pre" else ("_synaptic_post", synapses.target)
        own = synapses.variables[side].get_value().astype(np.int64)
        seconds = np.atleast_1d(path.variables["delay"].get_value())
        delays = np.broadcast_to((seconds / to.dt + 0.5).astype(np.int64), len(own))
        low = first - int(delays.max())
        steps, neurons = spikes_of(simulation, to, whole(group), path.event, low, end)
        # Spikes by neuron and step, and among those of a neuron the last one whose event has arrived.
        span = end - low
        keys = np.sort(neurons.astype(np.int64) * span + (steps - low))
        if len(keys) == 0:
            continue
        last = end - 1 - delays - low
        found = np.searchsorted(keys, own * span + last, side="right") - 1
        of_neuron, step = keys[found] // span, keys[found] % span + low
        arrived = (found >= 0) & (last >= 0) & (of_neuron == own) & (step + delays >= first)
        latest = np.maximum(latest, np.where(arrived, step + delays, -1))
    return latest
