"""What Brian 2's own tests of devices expect of `set_device("spikelet")`: what it does, and the errors of what it does not do."""

from __future__ import annotations

import gc

import numpy as np
import pytest

brian2 = pytest.importorskip("brian2")
from brian2 import Network, NeuronGroup, SpikeMonitor, ms  # noqa: E402

import spikelet  # noqa: E402
import spikelet.brian2  # noqa: E402

brian2.prefs.codegen.target = "numpy"


@pytest.fixture(autouse=True)
def fresh():
    """Each test begins without objects of others, at the usual time step."""
    brian2.start_scope()
    brian2.defaultclock.dt = 0.1 * ms
    yield
    brian2.set_device("runtime")
    gc.collect()


def test_monitors_without_variables_have_times():
    brian2.set_device("spikelet", backend="cpu", precision="f64")
    group = NeuronGroup(2, "dv/dt = -v/(5*ms) : 1", method="exact")
    group.v = 1
    of_times, of_none = brian2.StateMonitor(group, [], record=True), brian2.StateMonitor(group, "v", record=False)
    brian2.run(0.5 * ms)
    assert len(of_times.t) == len(of_none.t) == 5 and of_none.v.shape == (0, 5)
    brian2.run(0.2 * ms)
    np.testing.assert_allclose(of_times.t / ms, np.arange(7) / 10)


def test_a_single_step_is_recorded():
    brian2.set_device("spikelet", backend="cpu", precision="f64")
    group = NeuronGroup(2, "dv/dt = -v/(5*ms) : 1\nu = 2*v : 1", method="exact")
    group.v = [1, 2]
    monitor = brian2.StateMonitor(group, ["v", "u"], record=[1])
    brian2.run(0.5 * ms)
    monitor.record_single_timestep()
    np.testing.assert_allclose(monitor.t / ms, np.arange(6) / 10)
    np.testing.assert_allclose(monitor.v[0], 2 * np.exp(-np.arange(6) / 50))
    assert monitor.u[0][-1] == 2 * group.v[1]


def test_spikes_of_the_past_are_a_warning(monkeypatch):
    said = []
    monkeypatch.setattr(spikelet.brian2.device.logger, "warn", lambda text, **suffix: said.append((text, suffix)))
    brian2.set_device("spikelet", backend="cpu")
    generator = brian2.SpikeGeneratorGroup(1, [0, 0], [0, 1] * ms, name="g")
    monitor = SpikeMonitor(generator)
    brian2.run(2 * ms)
    brian2.run(1 * ms)
    assert not said
    generator.set_spikes([0, 0], [1, 4] * ms)
    brian2.run(2 * ms)
    ((text, suffix),) = said
    assert text == "1 spikes of `g` are before 3. ms, the start of this run, and do not occur. Give times after it."
    assert suffix == {"name_suffix": "ignored_spikes"} and monitor.num_spikes == 3


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: brian2.SpikeGeneratorGroup(2, [1, 1], [0.9, 0.96] * ms, name="g"),
            "`g`, its spikes: neuron 1 has 2 spikes in the step at 0.9 ms, and can have one. Choose a shorter dt than 0.1 ms",
        ),
        (
            lambda: SpikeMonitor(
                NeuronGroup(1, "v : 1", threshold="v > 1", reset=""), variables="v", when="after_resets", name="m"
            ),
            "`m`, `when`: values at spikes (v) are those before synapses and resets of the step, not of the slot `after_resets`",
        ),
    ],
    ids=["two spikes in a step", "values after resets"],
)
def test_what_the_device_does_not_do_is_an_error(make, sentence):
    brian2.set_device("spikelet", backend="cpu")
    of = make()
    network = Network(of, *([of.source] if isinstance(of, SpikeMonitor) else []))
    with pytest.raises(spikelet.SpikeletError) as failure:
        network.run(1 * ms)
    assert sentence in str(failure.value)


def test_the_refractory_times_of_old_versions_are_an_error():
    brian2.set_device("spikelet", backend="cpu")
    group = NeuronGroup(1, "", threshold="True", refractory=1 * ms, name="g")
    brian2.prefs.legacy.refractory_timing = True
    try:
        with pytest.raises(
            spikelet.SpikeletError, match="`g`, its refractory period: .* rounded as in Brian 2.1. Set it to `False`"
        ):
            Network(group).run(1 * ms)
    finally:
        brian2.prefs.legacy.refractory_timing = False
