"""`build_on_run=False`: runs that are executed once more with other values, by `device.run(run_args=…)`.

Every `run` is executed at once. What it needs to be repeated is kept: the network before its first run, and the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from brian2 import Network, TimedArray
from brian2.core.variables import VariableView

from .problems import error

#: The name under which a network is stored before its first run.
BEFORE = "spikelet: before the first run"


@dataclass
class Runs:
    """The runs of a script."""

    #: Networks, in the order of their runs, with their objects, which the magic network forgets, and with what executes a run.
    calls: list[tuple[Network, list[Any], Callable[[], None]]] = field(default_factory=list)
    #: Why the first run was not possible with the values that it had.
    failure: Exception | None = None
    #: Whether values were set between two runs, which a repetition would not do.
    is_changed: bool = False

    def add(self, net: Network, call: Callable[[], None], is_changed: bool) -> None:
        """Notes a run, and executes it. A failure is raised when it is built, unless it has other values then."""
        if all(of is not net for of, *_ in self.calls):
            Network.store.original_function(net, BEFORE)
        self.calls.append((net, list(net.objects), call))
        self.is_changed |= is_changed
        if self.failure is None:
            try:
                call()
            except (ValueError, RuntimeError) as failure:
                self.failure = failure

    def repeat(self, values: Any) -> None:
        """Executes all runs from the start, with other values."""
        if not self.calls:
            raise error(
                "`device.run` repeats runs, and there was none; call `run` first, after `set_device(…, build_on_run=False)`."
            )
        if self.is_changed:
            raise error(
                "`device.run` cannot repeat runs between which values were set; put what lies between the calls of `run` into a "
                "`network_operation`, or call `run` with `build_on_run=True`."
            )
        restored = set()
        for net, objects, _ in self.calls:
            if id(net) not in restored:
                restored.add(id(net))
                net.objects = type(net.objects)(objects)
                Network.restore.original_function(net, BEFORE)
        assign(values, [of for _, objects, _ in self.calls for of in objects])
        self.failure = None
        for net, objects, call in self.calls:
            net.objects = type(net.objects)(objects)
            call()


def assign(values: Any, objects: list[Any]) -> None:
    """Sets the values of `run_args`: a dictionary of variables, or a list such as `["neurons.v=5"]` in SI units."""
    if not values:
        return
    if isinstance(values, Mapping):
        for key, value in values.items():
            if isinstance(key, VariableView):
                key[:] = value
            elif isinstance(key, TimedArray):
                given = np.asarray(value)
                if given.shape not in ((), key.values.shape):
                    raise error(
                        f"`run_args` has an array of the shape {given.shape} for `{key.name}`; its shape is {key.values.shape}."
                    )
                key.values[:] = given
            else:
                raise error(f"`run_args` has the key {key!r}; use variables such as `group.v`, or timed arrays.")
        return
    for text in values:
        path, _, value = str(text).partition("=")
        name, _, variable = path.partition(".")
        group = next((of for of in objects if of.name == name), None)
        if group is None or variable not in getattr(group, "variables", {}):
            raise error(f"`run_args` sets `{path}`, and no such variable is in the network; write it as in `neurons.v=5`.")
        try:
            number = {"True": 1.0, "False": 0.0}.get(value)
            number = float(value) if number is None else number
        except ValueError:
            raise error(f"`run_args` sets `{path}` to `{value}`; give a number, or use a dictionary for arrays.") from None
        group.state(variable, use_units=False)[:] = number
