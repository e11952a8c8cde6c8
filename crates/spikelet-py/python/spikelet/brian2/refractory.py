"""Which neurons are refractory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import NeuronGroup, Quantity, StateMonitor, Synapses

from .names import names_in
from .whole import whole

if TYPE_CHECKING:
    from .convert import Conversion

#: An event: the neuron is refractory at the end of the step. Its name is false before the first step, as in Brian 2.
HELD = "is_held"


def refractory_period(group: NeuronGroup) -> np.ndarray | None:
    """The refractory period of each neuron in seconds; `None` if it is an expression or a condition."""
    of = getattr(group, "_refractory", False)
    if isinstance(of, Quantity):
        return np.full(len(group), float(of))
    if of in group.variables and np.dtype(group.variables[of].dtype).kind == "f":
        return np.broadcast_to(group.variables[of].get_value(), len(group))
    return None


def find_held(to: Conversion, texts_of: Any) -> set[str]:
    """The groups whose refractoriness is read: after a run, if it does not follow from the times of spikes, by monitors, and by synapses."""
    found = {of.name for of in to.neuron_groups if of._refractory is not False and refractory_period(of) is None}
    for monitor in to.monitors:
        if isinstance(monitor, StateMonitor) and any(of.startswith("not_refractory") for of in monitor.record_variables):
            source = whole(monitor.source)
            found |= {whole(of).name for of in ((source.source, source.target) if isinstance(source, Synapses) else (source,))}
    for synapses in to.synapses:
        names = {name for code in texts_of(synapses).values() for name in names_in(code)}
        for side, suffixes in ((synapses.source, ("_pre",)), (synapses.target, ("_post", ""))):
            if names & {f"not_refractory{suffix}" for suffix in suffixes}:
                found.add(whole(side).name)
    return found & {of.name for of in to.neuron_groups if of._refractory is not False}


def held_event(threshold: str) -> dict[str, str]:
    """The condition of `HELD`, which is tested together with the threshold."""
    return {"condition": f"(not not_refractory) or ({threshold})"}


def special_names() -> dict[str, str]:
    """Refractoriness as synapses read it."""
    return {"not_refractory": f"(not {HELD}_post)"} | {
        f"not_refractory_{side}": f"(not {HELD}_{side})" for side in ("pre", "post")
    }


def draws(condition: str) -> bool:
    """Whether a condition draws random numbers, which another test of it would draw once more."""
    return bool(re.search(r"\b(rand|randn|poisson|binomial)\w*\s*\(", condition))
