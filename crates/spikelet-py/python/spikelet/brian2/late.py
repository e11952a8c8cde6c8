"""What Brian 2 does at the end of a step: late statements, monitors and operations, in its own order.

A simulation executes late statements at the start of the next step. After the last step of a run Brian 2 executes them on its own arrays, so that
what a script reads has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import StateMonitor

from .fill import Filler
from .monitors import ends_step, monitor_key
from .refractory import draws
from .regular import LATE, Key, key_of
from .whole import whole

if TYPE_CHECKING:
    from .convert import Conversion

#: An operation at the end of a step: its place, and what calls it.
Operation = tuple[Key, Callable[[], None]]


class EndOfStep:
    """The end of one step."""

    def __init__(self, conversion: Conversion, known: dict[str, np.ndarray]) -> None:
        self.conversion = conversion
        self.known = known
        #: Objects whose late statements have been executed.
        self.owners: set[str] = set()
        #: What they have made of variables, by paths.
        self.after: dict[str, np.ndarray] = {}
        #: Whether the simulation must be given these values, because it would come to others.
        self.must_be_set = False

    def execute(self, filler: Filler, step: int, operations: list[Operation]) -> None:
        """Executes all that is due; `step` is counted from time 0 of Brian 2."""
        to = self.conversion
        runners = [of for name in to.runners for of in to.runners[name] if of.active and of.when in LATE]
        todo: list[Operation] = [(key_of(of), lambda of=of: self.run(of)) for of in runners if self.is_due(of, step)]
        todo += [
            (monitor_key(of), lambda of=of: filler.complete(of, step))
            for of in to.monitors
            if isinstance(of, StateMonitor) and of.active and len(of.record) and ends_step(of) and self.is_due(of, step)
        ]
        todo += [(key, lambda call=call: self.operate(call)) for key, call in operations]
        for _, call in sorted(todo, key=lambda of: of[0]):
            call()
        if self.owners:
            self.after = {of.path: np.array(of.variable.get_value()) for of in to.states}

    def is_due(self, of: Any, step: int) -> bool:
        """Whether a clock runs in a step."""
        clock, dt = of.clock, self.conversion.dt
        every = self.conversion.steps_of(clock, of.name, "")
        if step % every:
            return False
        clock.variables["timestep"].get_value()[0] = step // every
        clock.variables["t"].get_value()[0] = step // every * float(clock.dt)
        owner_clock = getattr(whole(of.group if hasattr(of, "group") else of.source), "clock", clock)
        owner_clock.variables["timestep"].get_value()[0] = round(step * dt / float(owner_clock.dt))
        owner_clock.variables["t"].get_value()[0] = step * dt
        return True

    def run(self, runner: Any) -> None:
        """Executes late statements."""
        self.owners.add(whole(runner.group).name)
        self.must_be_set |= draws(runner.abstract_code or "")
        runner.before_run(self.conversion.namespace)
        runner.run()

    def operate(self, call: Callable[[], None]) -> None:
        """Calls Python code of the network. What comes later reads what it changes."""
        call()
        self.must_be_set = True
