"""Networks of Brian 2 on Spikelet and in Brian 2 itself, in one process."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest

brian2 = pytest.importorskip("brian2")
import brian2_networks as networks  # noqa: E402
from brian2 import Network, NeuronGroup, SpikeMonitor, Synapses, ms, mV  # noqa: E402

import spikelet  # noqa: E402
import spikelet.brian2  # noqa: E402
from spikelet.brian2 import BrianNotice, from_brian2  # noqa: E402
from spikelet.brian2.units import inner  # noqa: E402
from spikelet.brian2.whole import whole  # noqa: E402

brian2.prefs.codegen.target = "numpy"
brian2.BrianLogger.suppress_hierarchy("brian2")


@pytest.fixture(autouse=True)
def fresh():
    """Each test begins without objects of others, at the usual time step, on Brian 2's own device."""
    brian2.set_device("runtime")
    brian2.start_scope()
    brian2.defaultclock.dt = 0.1 * ms
    yield
    brian2.set_device("runtime")
    gc.collect()


def events_of(monitor, start: int = 0) -> list[tuple[int, int]]:
    """Steps and neurons of a monitor from a step on, sorted."""
    steps = np.round(np.asarray(monitor.t) / float(monitor.clock.dt)).astype(int) - start
    return sorted((int(step), int(neuron)) for step, neuron in zip(steps, monitor.i, strict=False) if step >= 0)


def simulated(simulation, monitor) -> list[tuple[int, int]]:
    """The same of a simulation."""
    source, base = monitor.source, whole(monitor.source)
    is_spike = monitor.event == "spike"
    spikes = simulation.spikes(base.name if is_spike else f"{base.name}.{monitor.event}")
    start, stop = getattr(source, "start", 0), getattr(source, "stop", len(base))
    pairs = zip(spikes.steps.astype(int) - (not is_spike), spikes.neurons.astype(int), strict=False)
    return sorted((int(step), int(neuron) - start) for step, neuron in pairs if start <= neuron < stop)


def monitors_of(network, kind) -> list:
    return sorted((of for of in network.objects if isinstance(of, kind)), key=lambda of: of.name)


@pytest.mark.parametrize("build", networks.EXACT, ids=lambda build: build.__name__)
def test_the_same_spikes_and_values(build):
    network, duration = build()
    start = round(float(network.t / brian2.defaultclock.dt))
    simulation = from_brian2(network, duration=duration).simulation(backend="cpu", precision="f64")
    simulation.run()
    network.run(duration)
    spikes = 0
    for monitor in monitors_of(network, brian2.EventMonitor):
        expected = events_of(monitor, start)
        assert simulated(simulation, monitor) == expected, monitor.name
        spikes += len(expected)
    assert spikes > 0
    for monitor in monitors_of(network, brian2.StateMonitor):
        for variable in monitor.record_variables if monitor.when == "start" else ():
            if variable in getattr(monitor.source, "_linked_variables", ()):
                continue
            trace = simulation.trace(f"{monitor.source.name}.{variable}")
            expected = inner(np.asarray(getattr(monitor, variable)), monitor.variables[variable].dim)
            columns = [trace.indices.tolist().index(int(index)) for index in monitor.record]
            ours = trace.values[:, columns].T
            every = max(1, ours.shape[1] // max(expected.shape[1], 1))
            np.testing.assert_allclose(ours[:, ::every], expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("build", networks.RANDOM, ids=lambda build: build.__name__)
def test_the_same_rates(build):
    network, duration = build()
    simulation = from_brian2(network, duration=duration).simulation(backend="cpu")
    simulation.run()
    network.run(duration)
    for monitor in monitors_of(network, SpikeMonitor):
        ours = np.bincount([neuron for _, neuron in simulated(simulation, monitor)], minlength=len(monitor.source))
        theirs = np.asarray(monitor.count)
        # Counts of neurons are nearly independent samples; five standard errors of the difference of means.
        error = np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / len(ours))
        assert abs(ours.mean() - theirs.mean()) < 5 * error + 1e-9, monitor.name


def results(build, runs: int) -> dict[str, np.ndarray]:
    """What monitors and groups have after several runs, by numbers instead of names."""
    network, duration = build()
    for _ in range(runs):
        network.run(duration / runs)
    found: dict[str, np.ndarray] = {"t": np.array([float(network.t)])}
    for number, monitor in enumerate(monitors_of(network, brian2.EventMonitor)):
        found[f"events {number}"] = np.array(events_of(monitor))
        found[f"count {number}"] = np.array(monitor.count)
        for variable in sorted(monitor.record_variables - {"i", "t"}):
            found[f"events {number} {variable}"] = np.array(getattr(monitor, variable))
    for number, monitor in enumerate(monitors_of(network, brian2.StateMonitor)):
        found[f"times {number}"] = np.array(monitor.t)
        for variable in monitor.record_variables:
            found[f"values {number} {variable}"] = np.array(getattr(monitor, variable))
    for number, monitor in enumerate(monitors_of(network, brian2.PopulationRateMonitor)):
        found[f"rate {number}"] = np.array(monitor.rate)
    for kind in (NeuronGroup, Synapses):
        for number, group in enumerate(monitors_of(network, kind)):
            for variable in sorted(group.equations.names - {"lastspike", "not_refractory"}):
                found[f"{kind.__name__} {number} {variable}"] = np.array(group.state(variable, use_units=False)[:], dtype=float)
    return found


# Networks whose results do not depend on the last digits of f32.
STEADY = [of for of in networks.EXACT if of.__name__ not in ("current_based", "hodgkin_huxley", "izhikevich")]


@pytest.mark.parametrize("runs", [1, 4])
@pytest.mark.parametrize("build", STEADY, ids=lambda build: build.__name__)
def test_scripts_run_on_the_device(build, runs):
    if build.__name__ == "later_part_of_a_run" and runs == 1:
        pytest.skip("it has runs of its own")
    with warnings.catch_warnings():
        warnings.simplefilter("error", BrianNotice)
        expected = results(build, 1)
        brian2.start_scope()
        brian2.set_device("spikelet", backend="cpu", precision="f32")
        found = results(build, runs)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].shape == values.shape, name
        if values.size:
            # A single value may belong to a spike that f32 puts into the next step.
            scale = np.abs(values).max()
            np.testing.assert_allclose(found[name], values, rtol=2e-4, atol=2e-4 * scale, err_msg=name)


def cell(**options):
    group = NeuronGroup(3, "dv/dt = (I - v)/(10*ms) : 1\nI : 1", threshold="v > 1", reset="v = 0", method="exact", **options)
    group.I = [1.2, 1.5, 2]
    return group, SpikeMonitor(group)


def test_values_that_a_script_changes_between_runs():
    found = []
    for device in ("runtime", "spikelet"):
        brian2.set_device(device)
        brian2.start_scope()
        group, spikes = cell()
        network = Network(group, spikes)
        tau = 10 * ms  # noqa: F841
        network.run(20 * ms)
        group.I[0] = 3
        group.v = 0.5
        network.run(20 * ms)
        group.I = "1.1 + 0.3*i"
        network.run(20 * ms)
        found.append((events_of(spikes), np.array(group.v)))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-5)


def test_constants_of_a_script_that_change_between_runs():
    found = []
    for device in ("runtime", "spikelet"):
        brian2.set_device(device)
        brian2.start_scope()
        group = NeuronGroup(2, "dv/dt = (drive - v)/tau : 1", threshold="v > 1", reset="v = 0", method="exact", name="cells")
        spikes = SpikeMonitor(group)
        network = Network(group, spikes)
        for drive, tau in ((1.5, 10 * ms), (3, 5 * ms)):
            network.run(30 * ms, namespace={"drive": drive, "tau": tau})
        found.append(events_of(spikes))
    assert found[0] == found[1]


def test_store_and_restore():
    brian2.set_device("spikelet")
    group, spikes = cell()
    synapses = Synapses(group, group, on_pre="v_post += 0.1", delay=5 * ms)
    synapses.connect(condition="i != j")
    network = Network(group, spikes, synapses)
    network.store("start")
    network.run(33 * ms)
    network.store("middle")
    network.run(40 * ms)
    once = events_of(spikes)
    for name, left in (("middle", 40), ("start", 73), ("middle", 40)):
        network.restore(name)
        network.run(left * ms)
        assert events_of(spikes) == once, name


def test_a_monitor_that_is_added_later():
    brian2.set_device("spikelet")
    group, spikes = cell()
    network = Network(group, spikes)
    network.run(5 * ms)
    trace = brian2.StateMonitor(group, "v", record=[2])
    network.add(trace)
    network.run(5 * ms)
    np.testing.assert_allclose(trace.t / ms, np.arange(50, 100) / 10)
    assert len(trace.v[0]) == 50


def stopped(device: str):
    """Times of an operation, spikes and the end of a network that an operation changes and stops."""
    brian2.set_device(device)
    brian2.start_scope()
    group, spikes = cell()
    times = []

    @brian2.network_operation(dt=5 * ms)
    def change(t):
        times.append(float(t / ms))
        group.I[0] += 0.1
        if spikes.num_spikes > 12:
            brian2.stop()

    network = Network(group, spikes, change)
    network.run(200 * ms)
    return times, events_of(spikes), float(network.t / ms)


def test_operations_of_python_and_stop():
    found = [stopped(device) for device in ("runtime", "spikelet")]
    assert found[0][1] == found[1][1]
    np.testing.assert_allclose(found[0][0], found[1][0])
    assert found[0][2] == pytest.approx(found[1][2])


def test_a_change_that_would_lose_spikes_is_an_error():
    brian2.set_device("spikelet")
    group, spikes = cell()
    synapses = Synapses(group, group, on_pre="v_post += 0.1", delay=5 * ms)
    synapses.connect(condition="i != j")
    network = Network(group, spikes, synapses)
    network.run(60 * ms)
    network.add(NeuronGroup(1, "x : 1"))
    with pytest.raises(spikelet.SpikeletError, match="on their way in `synapses"):
        network.run(10 * ms)


def test_the_same_seed_gives_the_same_noise():
    brian2.set_device("spikelet")
    counts = []
    for number in (1, 1, 2):
        brian2.start_scope()
        brian2.seed(number)
        group = NeuronGroup(
            50, "dv/dt = (0.8 - v)/(10*ms) + 0.5*xi/sqrt(10*ms) : 1", threshold="v > 1", reset="v = 0", method="euler"
        )
        spikes = SpikeMonitor(group)
        Network(group, spikes).run(100 * ms)
        counts.append(events_of(spikes))
    assert counts[0] == counts[1] != counts[2]


def test_all_reasons_are_in_one_error():
    group = NeuronGroup(
        2,
        "dv/dt = (v_rest - v)/(10*ms) + f(v)*mV/ms : volt",
        threshold="v > 1*mV",
        reset="v = 0*mV",
        method="gsl_rkf45",
    )

    @brian2.check_units(v=brian2.volt, result=1)
    def f(v):
        print(v)
        return 1.0

    @brian2.network_operation
    def operate():
        pass

    own = NeuronGroup(2, "dv/dt = -v/(10*ms) : 1", method="exact", dt=0.5 * ms)
    with pytest.raises(spikelet.SpikeletError) as error:
        from_brian2([group, own, operate], namespace={"f": f})
    text = str(error.value)
    for part in ("`v_rest`", "function `f`", "gsl_rkf45", "Python code cannot run", "its time step"):
        assert part in text, text
    assert "reasons" in text


def test_links_that_brian_reads_later_are_noticed():
    source = NeuronGroup(1, "dx/dt = 1/(10*ms) : 1", method="euler", name="a_source")
    reader = NeuronGroup(1, "x : 1 (linked)\ndv/dt = (x - v)/(10*ms) : 1", method="euler", name="b_reader")
    reader.x = brian2.linked_var(source, "x")
    with pytest.warns(BrianNotice, match="`b_reader`, the linked variable `x`"):
        from_brian2([source, reader])


def test_files_are_saved(tmp_path):
    group, spikes = cell()
    synapses = Synapses(group, group, "w : volt", on_pre="v_post += w/mV")
    synapses.connect(condition="i != j")
    synapses.w = "i*mV"
    converted = from_brian2([group, spikes, synapses], duration=50 * ms, namespace={"mV": mV})
    path = converted.save(tmp_path)
    simulation = spikelet.Simulation(path, backend="cpu")
    simulation.run()
    network = Network(group, spikes, synapses)
    network.run(50 * ms)
    assert simulated(simulation, spikes) == events_of(spikes)


def test_an_option_that_does_not_exist():
    with pytest.raises(spikelet.SpikeletError, match="no option 'directory'"):
        brian2.set_device("spikelet", directory="x")


def test_constants_of_the_caller():
    group = NeuronGroup(1, "dv/dt = (drive - v)/tau : 1", threshold="v > 1", reset="v = 0", method="exact")
    drive, tau = 2, 10 * ms
    network = from_brian2([group]).network
    assert network["populations"][0]["parameters"] == {"drive": float(drive), "tau": f"{float(tau / ms)}*ms"}


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_the_last_steps_of_runs_of_any_length(precision):
    """Many short runs: a generator with a period continues, and a spike of the last step is reset as in Brian 2."""
    found = []
    for device, options in (("runtime", {}), ("spikelet", {"precision": precision})):
        brian2.set_device(device, **options)
        brian2.start_scope()
        inputs = brian2.SpikeGeneratorGroup(2, [0, 1, 1], [0, 1, 2.5] * ms, period=4 * ms)
        group = NeuronGroup(2, "dv/dt = -v/(10*ms) : 1", threshold="v > 1", reset="v = 0", method="exact")
        synapses = Synapses(inputs, group, on_pre="v_post += 0.35", delay=0.3 * ms)
        synapses.connect()
        spikes = SpikeMonitor(group)
        network = Network(inputs, group, synapses, spikes)
        values = []
        for _ in range(60):
            network.run(0.7 * ms)
            values.append(np.array(group.v))
        found.append((events_of(spikes), np.array(values)))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-5 if precision == "f32" else 1e-12)


def test_a_network_with_spikes_in_flight_is_not_converted():
    group, spikes = cell(name="cells", refractory=3 * ms)
    synapses = Synapses(group, group, on_pre="v_post += 0.1", delay=5 * ms, name="links")
    synapses.connect(condition="i != j")
    network = Network(group, spikes, synapses)
    from_brian2(network)
    network.run(20 * ms)
    with pytest.raises(spikelet.SpikeletError, match="`links`, the pathway `pre`: spikes are on their way"):
        from_brian2(network)


def test_another_scope_has_nothing_of_the_former_one():
    """The network of all visible objects stays the same object in Brian 2."""
    for precision in ("f32", "f64"):
        brian2.set_device("spikelet", precision=precision)
        for drive in (2.0, 3.0):
            brian2.start_scope()
            group = NeuronGroup(2, "dv/dt = (drive - v)/(10*ms) : 1", threshold="v > 1", reset="v = 0", refractory=5 * ms)
            synapses = Synapses(group, group, on_pre="v_post += 0.01", delay=3 * ms)
            synapses.connect()
            spikes = SpikeMonitor(group)
            brian2.store()
            counts = []
            for _ in range(2):
                brian2.restore()
                brian2.run(30 * ms)
                counts.append(spikes.num_spikes)
            assert counts[0] == counts[1] > 2, (precision, drive, counts)


def test_a_run_that_is_stopped_keeps_everything():
    """Brian 2 notes the first Ctrl-C; a second one is an exception."""
    brian2.set_device("spikelet", backend="cpu")
    group = NeuronGroup(10, "dv/dt = (2 - v)/(10*ms) : 1", threshold="v > 1", reset="v = 0", method="euler", name="cells")
    spikes, trace = SpikeMonitor(group), brian2.StateMonitor(group, "v", record=0)
    network = Network(group, spikes, trace)

    def stop(*_):
        if calls:
            Network._globally_stopped = True
        calls.append(1)

    def interrupt(*_):
        if calls:
            raise KeyboardInterrupt
        calls.append(1)

    for report, expected in ((stop, None), (interrupt, KeyboardInterrupt)):
        calls: list[int] = []
        before = float(network.t / ms)
        try:
            network.run(1e5 * brian2.second, report=report, report_period=1e-6 * ms)
        except KeyboardInterrupt as why:
            assert expected is type(why)
        reached = float(network.t / ms)
        assert before < reached < 1e8 - 1
        assert len(trace.t) == round(reached / 0.1)
        assert spikes.t[-1] < network.t
    network.run(10 * ms)
    assert float(network.t / ms) == pytest.approx(reached + 10)
    assert len(trace.t) == round(reached / 0.1) + 100


def test_runs_are_repeated_with_other_values():
    brian2.set_device("spikelet", backend="cpu", precision="f64", build_on_run=False)
    group = NeuronGroup(2, "dv/dt = -v/tau : 1\ntau : second (constant)", method="exact", name="cells")
    group.v = 1
    trace = brian2.StateMonitor(group, "v", record=True)
    network = Network(group, trace)
    # The time constant is 0 as yet.
    network.run(1 * ms)
    brian2.device.build(run=False)
    for tau in (5, 10):
        brian2.device.run(run_args={group.tau: tau * ms, group.v: [1, 2]})
        np.testing.assert_allclose(group.v, np.exp(-1 / tau) * np.array([1, 2]), rtol=1e-12)
        assert len(trace.t) == 10
    brian2.device.build(run_args=["cells.tau=0.02", "cells.v=5"])
    np.testing.assert_allclose(group.v, 5 * np.exp(-1 / 20), rtol=1e-12)
    for wrong, why in (
        ({3: 4}, "`run_args` has the key 3"),
        (["cells.q=3"], "`cells.q`, and no such variable"),
        (["cells.v=a.dat"], "to `a.dat`"),
        (None, "tau is 0 ms"),
    ):
        with pytest.raises(spikelet.SpikeletError, match=why):
            brian2.device.run(run_args=wrong)
