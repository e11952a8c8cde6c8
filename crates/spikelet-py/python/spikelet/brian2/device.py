"""`set_device("spikelet")`: scripts of Brian 2 on the engine of Spikelet.

Everything but `run` is done by Brian 2 in memory, as by its own runtime device. A run converts the network, simulates it, and writes state
and monitors back. The simulation stays alive, so that several runs continue each other with all spikes in flight."""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from brian2 import Network, SpikeGeneratorGroup, get_logger, second
from brian2.core.namespace import get_local_namespace
from brian2.core.network import TextReport
from brian2.devices.device import RuntimeDevice, all_devices, runtime_device
from brian2.groups.group import Group

from .convert import Conversion, objects_of
from .fill import COPIES
from .live import Live, structure
from .network import check_schedule
from .problems import BrianNotice, error
from .regular import EARLY, key_of
from .repeat import Runs

# As one of the modules of Brian 2: its settings decide what is shown.
logger = get_logger("brian2.devices.spikelet")
OPTIONS = ("backend", "adapter", "precision", "threads", "fast_math")


class Stopped(Exception):
    """A script or a user has stopped a run."""


class SpikeletDevice(RuntimeDevice):
    """The device `spikelet`. Options of `set_device` are `backend`, `adapter`, `precision`, `threads` and `fast_math` of `spikelet.Simulation`."""

    def __init__(self) -> None:
        super().__init__()
        # Objects that were made before the device was chosen keep their values.
        self.arrays = runtime_device.arrays
        self.live: WeakKeyDictionary[Network, Live] = WeakKeyDictionary()
        self.stored: WeakKeyDictionary[Network, dict[str, tuple[Live, bytes]]] = WeakKeyDictionary()
        self.builds = 0
        self.runs = Runs()

    def activate(self, build_on_run: bool = True, **options: Any) -> None:
        """Called by `set_device`."""
        if unknown := sorted(set(options) - set(OPTIONS) - {"profile"}):
            raise error(
                f'set_device("spikelet", …) has no option {", ".join(map(repr, unknown))}; its options are {", ".join(OPTIONS)}.'
            )
        super().activate(build_on_run, **options)
        self.runs = Runs()

    def reinit(self) -> None:
        """Forgets the runs that could be repeated."""
        super().reinit()
        self.runs = Runs()

    def build(self, *_: Any, run: bool = True, run_args: Any = None, **__: Any) -> None:
        """Every `run` is executed at once, with `build_on_run=False`, too. Other values, given here, repeat it."""
        if run and (run_args or self.runs.failure is not None):
            self.run(run_args=run_args)

    def run(self, *_: Any, run_args: Any = None, **__: Any) -> None:
        """Repeats the runs of the script from the start, with the values of `run_args`."""
        if self.build_on_run:
            raise error('`device.run` repeats runs; select the device by `set_device("spikelet", build_on_run=False)`.')
        self.runs.repeat(run_args)

    def seed(self, seed: int | None = None) -> None:
        """The seed of random numbers, of Brian 2 and of simulations that are built from now on."""
        super().seed(seed)
        self.builds = 0

    def next_seed(self) -> int:
        """A seed that follows from that of NumPy, without a change of its state, and differs between simulations."""
        state = np.random.get_state()
        number = int(np.random.randint(2**31))
        np.random.set_state(state)
        self.builds += 1
        return int(np.random.SeedSequence([number, self.builds]).generate_state(1)[0])

    def current(self, net: Network) -> Live | None:
        """The simulation of a network. After `start_scope` there is none: the network of all visible objects is the same, its objects are not."""
        live = self.live.get(net)
        if live is not None and not {id(of) for of in live.objects} & {id(of) for of in net.objects}:
            return None
        return live

    # What Brian 2 calls.

    def network_run(
        self,
        net: Network,
        duration: Any,
        report: str | Callable[..., None] | None = None,
        report_period: Any = 10 * second,
        namespace: dict[str, Any] | None = None,
        profile: bool | None = None,
        level: int = 0,
    ) -> None:
        """Runs a network, in place of `Network.run`."""
        if duration < 0 * second:
            raise ValueError(f"Function 'run' expected a non-negative duration but got '{duration}'")
        if namespace is None:
            namespace = get_local_namespace(level=level + 2)
        self.check(net)
        arguments = (duration, report, report_period, namespace, profile)
        if self.build_on_run:
            self.run_network(net, *arguments)
        else:
            live = self.current(net)
            is_changed = live is not None and live.is_changed(live.conversion, live.late)
            self.runs.add(net, lambda: self.run_network(net, *arguments), is_changed)

    def run_network(self, net: Network, duration: Any, report: Any, report_period: Any, namespace: Any, profile: Any) -> None:
        """Executes one run."""
        net._stopped = False
        Network._globally_stopped = False
        start, end = net.t, net.t + duration
        net._clocks = {of.clock for of in net.sorted_objects}
        for clock in net._clocks:
            clock.set_interval(start, end)
        if not net.objects:
            return
        live = self.prepared(net, namespace, float(duration))
        began = time.time()
        show = reporter(report)
        if show is not None:
            show(0 * second, 0.0, start, duration)
        Network._globally_running = True
        try:
            interrupt = self.advance(net, live, show, began, start, duration, float(report_period))
        finally:
            Network._globally_running = False
        is_stopped = net._stopped or Network._globally_stopped or interrupt is not None
        reached = live.time
        for clock in net._clocks:
            if is_stopped:
                clock.set_interval(start, reached * second)
            clock.variables["timestep"].get_value()[0] = clock._i_end
            clock.variables["t"].get_value()[0] = clock._i_end * float(clock.dt)
        net.t_ = reached if is_stopped else float(end)
        self._last_run_time = time.time() - began
        self._last_run_completed_fraction = float((net.t - start) / duration) if duration > 0 * second else 1.0
        for of in net.sorted_objects:
            if isinstance(of, Group):
                of._check_for_invalid_states()
        if show is not None:
            show(self._last_run_time * second, self._last_run_completed_fraction, start, duration)
        net.after_run()
        is_profiled = self.build_options.get("profile", False) if profile is None else profile
        net._profiling_info = [("spikelet", self._last_run_time * second)] if is_profiled else None
        if interrupt is not None:
            raise interrupt

    def network_store(self, net: Network, name: str = "default", filename: str | None = None) -> None:
        """`store`, which keeps a snapshot of the simulation, too."""
        Network.store.original_function(net, name, filename)
        live = self.current(net)
        kept = self.stored.setdefault(net, {})
        kept.pop(name, None)
        if live is None or live.simulation.step == 0:
            return
        if filename is not None:
            self.refuse_in_flight(net, live, "a file has no snapshot of the simulation; store it in memory, without `filename`")
            return
        kept[name] = (live, live.simulation.snapshot())

    def network_restore(
        self, net: Network, name: str = "default", filename: str | None = None, restore_random_state: bool = False
    ) -> None:
        """`restore`: the simulation continues from its snapshot; without one it is built once more, with other noise."""
        Network.restore.original_function(net, name, filename, restore_random_state)
        self.live.pop(net, None)
        if filename is None and name in self.stored.get(net, {}):
            live, snapshot = self.stored[net][name]
            live.simulation.restore(snapshot)
            COPIES.pop(live.simulation, None)
            live.remember()
            self.live[net] = live
            if draws(live.network) and not restore_random_state:
                warnings.warn(
                    "A network that was stored after its start continues with the same noise after each `restore`; "
                    "for other noise store it before the first run.",
                    BrianNotice,
                    stacklevel=3,
                )

    def refuse_in_flight(self, net: Network, live: Live, reason: str) -> None:
        """Raises if a snapshot that cannot be taken would be needed."""
        if lost := live.in_flight():
            raise error(f"`store` of `{net.name}` at {net.t}: {'; '.join(lost)}, and {reason}.")

    # Parts of a run.

    def check(self, net: Network) -> None:
        """The checks that Brian 2 makes before a run."""
        names = Counter(of.name for of in net.sorted_objects)
        if twice := [name for name, count in names.items() if count > 1]:
            raise ValueError(
                f"All objects in a network need to have unique names, but {', '.join(twice)} is used more than once."
            )
        net.check_dependencies()
        for of in net.sorted_objects:
            if of._network is None:
                of._network = net.id
            elif of._network != net.id:
                raise RuntimeError(
                    f"'{of.name}' has already been run in the context of another network. Use add/remove to change the objects in a network."
                )

    def prepared(self, net: Network, namespace: dict[str, Any], duration: float) -> Live:
        """The simulation of a network, which is built if there is none yet."""
        live = self.current(net)
        if live is not None and round((float(net.t) - live.time) / live.conversion.dt):
            # The magic network begins again at 0 with other objects.
            live = None
        warn_of_past(net)
        conversion = self.converted(net, namespace, duration, live)
        for notice in conversion.problems.notices:
            warnings.warn(str(notice), BrianNotice, stacklevel=4)
        network = conversion.network(net.name, self.next_seed() if live is None else live.network.get("seed"))
        if live is not None:
            if structure(network, conversion.files, conversion) == live.structure:
                try:
                    live.update(conversion)
                    return live
                except Exception as failure:
                    live.check_rebuild(net, str(failure))
            else:
                live.check_rebuild(net, "other objects, equations, synapses, spikes of generators, or timed arrays")
            conversion = self.converted(net, namespace, duration, None)
            network = conversion.network(net.name, self.next_seed())
        options = {key: of for key, of in self.build_options.items() if key in OPTIONS}
        self.live[net] = Live(conversion, network, options)
        return self.live[net]

    def converted(self, net: Network, namespace: dict[str, Any], duration: float, live: Live | None) -> Conversion:
        """The network as it is now, with the time at which its simulation began."""
        conversion = Conversion(namespace=namespace, duration=duration, keep_lists=True, allow_operations=True)
        conversion.start = float(net.t)
        if live is not None:
            conversion.start = live.start_step * live.conversion.dt
            # Generators with a period list their spikes up to a horizon.
            needed = float(net.t) - conversion.start + duration
            conversion.duration = max(needed, live.horizon * live.conversion.dt)
            if needed > live.horizon * live.conversion.dt and periodic(net):
                conversion.duration = 2 * needed
        elif periodic(net):
            conversion.duration = 4 * duration
        check_schedule(conversion.problems, net)
        conversion.convert(objects_of(net))
        return conversion

    def advance(self, net, live, show, began, start, duration, period) -> KeyboardInterrupt | None:
        """Runs to the end, with stops for Python code of the network. An interrupt ends it; what was simulated is kept."""
        conversion = live.conversion
        operations = [of for of in conversion.operations if of.active]
        # The clock knows how Brian 2 rounds the end.
        shortest = min(net._clocks, key=lambda clock: float(clock.dt))
        end = shortest._i_end * conversion.steps_of(shortest, net.name, "") - live.start_step
        last_shown = [began]

        def progress(reached_ms: float, _: float = 0.0) -> None:
            if Network._globally_stopped:
                # The first Ctrl-C: Brian 2 has noted it.
                raise Stopped
            now = time.time()
            # The simulation is busy, so it cannot be asked.
            done = live.start_step * conversion.dt + reached_ms / 1e3 - float(start)
            if show is not None and now - last_shown[0] > period:
                last_shown[0] = now
                show((now - began) * second, min(done / float(duration), 1.0), start, duration)

        while live.simulation.step < end and not (net._stopped or Network._globally_stopped):
            step = live.simulation.step
            # Brian 2 completes the step in which a script stops it.
            is_last = self.operate_early(net, live, operations, step)
            stop = min([step + 1 if is_last else end, *(self.next_stop(live, of, step) for of in operations)])
            interrupt: KeyboardInterrupt | None = None
            try:
                live.simulation.run((stop - step) * live.simulation.dt_ms, progress=progress)
            except Stopped:
                pass
            except KeyboardInterrupt as second_one:
                interrupt = second_one
            if live.simulation.step == step:
                return interrupt
            live.read(step)
            late = self.due(live, operations, live.simulation.step - 1, early=False)
            live.finish(step, [(key_of(of), lambda of=of: self.call(net, live, of, live.simulation.step - 1)) for of in late])
            if late:
                live.update(live.conversion)
            if interrupt is not None:
                return interrupt
        return None

    def next_stop(self, live: Live, operation: Any, step: int) -> int:
        """The step before which a simulation must stop for an operation."""
        every = live.conversion.steps_of(operation.clock, operation.name, "")
        now = live.start_step + step
        is_early = operation.when in EARLY
        return step + (every - now % every if is_early else -now % every + 1)

    def due(self, live: Live, operations: list[Any], step: int, *, early: bool) -> list[Any]:
        """The operations of a step, in their order."""
        now = live.start_step + step
        found = [of for of in operations if (of.when in EARLY) == early]
        return sorted((of for of in found if now % live.conversion.steps_of(of.clock, of.name, "") == 0), key=key_of)

    def call(self, net: Network, live: Live, operation: Any, step: int) -> None:
        """Calls an operation at the time of a step."""
        now = live.start_step + step
        for clock in net._clocks:
            count = now // live.conversion.steps_of(clock, operation.name, "")
            clock.variables["timestep"].get_value()[0] = count
            clock.variables["t"].get_value()[0] = count * float(clock.dt)
        net.t_ = now * live.conversion.dt
        operation.run()

    def operate_early(self, net: Network, live: Live, operations: list[Any], step: int) -> bool:
        """Calls what is due at the start of a step; returns whether the run is stopped."""
        due = self.due(live, operations, step, early=True)
        for of in due:
            live.see(key_of(of), step)
            self.call(net, live, of, step)
        if due:
            live.update(live.conversion)
        return net._stopped or Network._globally_stopped


def warn_of_past(net: Network) -> None:
    """Warns, as Brian 2 does, of spikes that a script gives to a generator after their time."""
    for of in net.objects:
        if not isinstance(of, SpikeGeneratorGroup) or not of._spikes_changed:
            continue
        dt = float(of.clock.dt)
        # Steps as Brian 2 counts them.
        steps = ((np.asarray(of._spike_time, dtype=float) + 1e-3 * dt) / dt).astype(int)
        if late := int(np.count_nonzero(steps < round(float(net.t) / dt))):
            logger.warn(
                f"{late} spikes of `{of.name}` are before {net.t}, the start of this run, and do not occur. Give times after it.",
                name_suffix="ignored_spikes",
            )
        of._spikes_changed = False


def periodic(net: Network) -> bool:
    """Whether a generator of the network repeats its spikes."""
    periods = [of.variables["period"].get_value().item() for of in net.objects if hasattr(of, "_spike_time")]
    return any(0 < float(of) < 1e50 for of in periods)


def draws(network: dict[str, Any]) -> bool:
    """Whether a network draws random numbers during its run."""
    if any(of.get("type") in ("poisson", "poisson_input") for of in network.get("sources", [])):
        return True
    text = str(
        [
            {key: of[key] for key in of if key not in ("initial", "parameters")}
            for kind in ("populations", "projections")
            for of in network.get(kind, [])
        ]
    )
    return any(name in text for name in ("xi", "rand(", "randn(", "poisson(", "binomial("))


def reporter(report: str | Callable[..., None] | None) -> Callable[..., None] | None:
    """The function that shows progress."""
    if report is None or callable(report):
        return report
    if report in ("text", "stdout"):
        return TextReport(sys.stdout)
    if report == "stderr":
        return TextReport(sys.stderr)
    raise ValueError(f'Do not know how to handle report argument "{report}".')


spikelet_device = SpikeletDevice()
all_devices["spikelet"] = spikelet_device
