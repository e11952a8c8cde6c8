"""The back end of PyNN. PyNN's own scenarios are run by `pynn_scenarios.py`, and scripts are compared with NEST by `pynn_nest.py`."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pyNN")
pytest.importorskip("neo")

from pyNN.random import NumpyRNG, RandomDistribution

import spikelet
import spikelet.pynn as sim


@pytest.fixture(autouse=True, params=["f32"])
def fresh(request):
    """A script begins; `precision` is that of the run."""
    sim.setup(timestep=0.1, backend="cpu", threads=1, precision=request.param)


def signal(population, name):
    return population.get_data().segments[-1].filter(name=name)[0].magnitude


def spikes(population):
    return [train.magnitude for train in population.get_data("spikes").segments[-1].spiketrains]


def test_a_constant_current_fires_at_the_times_of_the_formula():
    cells = sim.Population(2, sim.IF_curr_exp(i_offset=[0.8, 0.9], tau_refrac=2.0))
    cells.record(["spikes", "v"])
    sim.run(100.0)
    for current, times in zip([0.8, 0.9], spikes(cells), strict=True):
        first = 20.0 * np.log(current * 20.0 / (current * 20.0 - 15.0))
        assert abs(times[0] - first) <= 0.1
        assert np.allclose(np.diff(times), first + 2.0, atol=0.2)
    assert signal(cells, "v").shape == (1001, 2)


def test_a_spike_arrives_after_its_delay():
    source = sim.Population(2, sim.SpikeSourceArray(spike_times=[[0.0, 5.0], [3.0]]))
    cells = sim.Population(2, sim.IF_curr_exp(tau_syn_E=2.0))
    sim.Projection(source, cells, sim.FromListConnector([(0, 0, 1.0, 0.1), (1, 1, 2.0, 0.7)]), sim.StaticSynapse())
    cells.record("isyn_exc")
    source.record("spikes")
    sim.run(10.0)
    current = signal(cells, "isyn_exc")
    assert current[0, 0] == 0 and current[1, 0] == pytest.approx(1.0, rel=1e-4)
    assert current[36, 1] == 0 and current[37, 1] == pytest.approx(2.0, rel=1e-4)
    assert [list(times) for times in spikes(source)] == [[0.0, 5.0], [3.0]]


def test_runs_continue_and_parameters_change():
    def voltages(runs):
        sim.setup(timestep=0.1, backend="cpu", threads=1)
        cells = sim.Population(3, sim.IF_cond_exp(i_offset=0.4))
        cells.record("v")
        for step in runs:
            sim.run(step)
        return signal(cells, "v")

    assert np.array_equal(voltages([20.0]), voltages([5.0, 5.0, 10.0]))


def test_one_value_can_become_several_during_a_run():
    cells = sim.Population(3, sim.IF_curr_exp(i_offset=0.5))
    source = sim.Population(1, sim.SpikeSourcePoisson(rate=500.0))
    sim.Projection(source, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.2, delay=1.0))
    cells.record("v")
    sim.run(20.0)
    before = signal(cells, "v")
    cells.set(tau_m=[10.0, 20.0, 30.0])
    cells[1:2].set(v_thresh=-40.0)
    assert list(cells.get("tau_m")) == [10.0, 20.0, 30.0]
    sim.run(20.0)
    after = signal(cells, "v")
    assert np.array_equal(before[:200], after[:200])
    assert len(np.unique(after[-1])) == 3


def test_spike_times_change_during_a_run():
    source = sim.Population(2, sim.SpikeSourceArray(spike_times=[[5.0], [6.0]]))
    cells = sim.Population(2, sim.IF_curr_exp())
    sim.Projection(source, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=1.0, delay=1.0))
    source.record("spikes")
    cells.record("isyn_exc")
    sim.run(10.0)
    source[0:1].set(spike_times=[12.0, 15.0])
    with pytest.warns(UserWarning, match="is not sent"):
        source[1:2].set(spike_times=[8.0, 16.0])
    sim.run(10.0)
    assert [list(times) for times in spikes(source)] == [[5.0, 12.0, 15.0], [6.0, 16.0]]
    current = signal(cells, "isyn_exc")
    assert list(np.flatnonzero(np.diff(current[:, 0]) > 0.5) + 1) == [60, 130, 160]


def test_reset_begins_a_segment_with_other_noise():
    source = sim.Population(5, sim.SpikeSourcePoisson(rate=100.0))
    cells = sim.Population(1, sim.IF_curr_exp(i_offset=0.9))
    source.record("spikes")
    cells.record("v")
    sim.run(100.0)
    sim.reset()
    sim.run(100.0)
    first, second = source.get_data().segments
    assert [list(t.magnitude) for t in first.spiketrains] != [list(t.magnitude) for t in second.spiketrains]
    assert np.array_equal(*(of.analogsignals[0].magnitude for of in cells.get_data().segments))


def test_clear_gives_each_spike_once():
    cells = sim.Population(2, sim.IF_curr_exp(i_offset=1.0))
    cells.record(["spikes", "v"])
    sim.run(200.0)
    whole = spikes(cells)
    sim.reset()
    parts, lengths = [[], []], []
    for _ in range(4):
        sim.run(50.0)
        segment = cells.get_data(clear=True).segments[-1]
        lengths.append(segment.analogsignals[0].shape[0])
        for part, train in zip(parts, segment.spiketrains, strict=True):
            part += train.magnitude.tolist()
    assert [list(times) for times in whole] == parts
    assert lengths == [501] * 4
    assert cells.mean_spike_count() == 0


def test_sampling_interval_and_counts():
    cells = sim.Population(4, sim.IF_curr_exp(i_offset=1.0))
    cells[1:3].record(["v", "spikes"], sampling_interval=0.5)
    sim.run(30.0)
    assert signal(cells, "v").shape == (61, 2)
    assert len(cells.get_spike_counts()) == 2
    with pytest.raises(ValueError, match="no multiple of the time step"):
        sim.reset()
        sim.Population(1, sim.IF_curr_exp()).record("v", sampling_interval=0.15)


def test_a_record_can_begin_during_a_run():
    cells = sim.Population(2, sim.IF_curr_exp(i_offset=1.0))
    cells[0:1].record(["spikes", "v"])
    sim.run(100.0)
    cells.record(["spikes", "v"])
    sim.run(100.0)
    first, second = spikes(cells)
    assert second.min() > 100.0 and list(second) == [time for time in first if time > 100.0]
    v = signal(cells, "v")
    assert np.isnan(v[:1000, 1]).all() and not np.isnan(v[1000:]).any() and not np.isnan(v[:, 0]).any()


def test_the_last_sample_is_that_of_the_next_run():
    def run(runs):
        sim.setup(timestep=0.1, backend="cpu", threads=1)
        cells = sim.Population(1, sim.IF_curr_exp(i_offset=1.0))
        cells.record("v")
        for duration in runs:
            sim.run(duration)
            last = signal(cells, "v")[-1]
        return signal(cells, "v"), last

    whole, _ = run([30.0])
    for end in (5.0, 27.8, 27.9, 28.0):
        assert run([end])[1] == whole[round(end * 10)]
    assert np.array_equal(run([10.0, 20.0])[0], whole)


def test_stdp_follows_the_pairs():
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[[10.0, 60.0]]))
    teacher = sim.Population(1, sim.SpikeSourceArray(spike_times=[[20.0, 50.0]]))
    cells = sim.Population(2, sim.IF_cond_exp(tau_syn_E=1.0, tau_refrac=5.0))
    rule = sim.STDPMechanism(
        sim.SpikePairRule(A_plus=0.01, A_minus=0.02), sim.AdditiveWeightDependence(w_max=0.02), weight=0.01, delay=1.0
    )
    plastic = sim.Projection(source, cells, sim.AllToAllConnector(), rule)
    sim.Projection(teacher, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=1.0, delay=1.0))
    cells.record("spikes")
    sim.run(100.0)
    first, second = spikes(cells)[0]
    # Presynaptic spikes are seen at once, postsynaptic ones a delay later.
    up = np.exp(-(first + 1 - 10) / 20) + np.exp(-(second + 1 - 10) / 20)
    down = np.exp(-(60 - second - 1) / 20) + np.exp(-(60 - first - 1) / 20)
    expected = 0.01 + 0.02 * (0.01 * up - 0.02 * down)
    assert np.allclose(plastic.get("weight", format="array"), expected, rtol=1e-5)
    assert plastic.get("A_plus", format="list", with_address=False) == [0.01, 0.01]
    plastic.set(weight=0.005)
    assert np.allclose(plastic.get("weight", format="array"), 0.005)
    sim.run(1.0)
    sim.reset()
    assert np.allclose(plastic.get("weight", format="array"), 0.005)


@pytest.mark.parametrize(
    "weights",
    [
        "AdditiveWeightDependence",
        "MultiplicativeWeightDependence",
        "AdditivePotentiationMultiplicativeDepression",
        "GutigWeightDependence",
    ],
)
@pytest.mark.parametrize("fraction", [0.0, 0.5, 1.0])
def test_rules_keep_weights_in_bounds(weights, fraction):
    source = sim.Population(5, sim.SpikeSourcePoisson(rate=100.0))
    cells = sim.Population(4, sim.IF_cond_exp())
    drive = sim.Projection(source, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.05, delay=0.5))
    rule = sim.STDPMechanism(
        sim.SpikePairRule(A_plus=0.2, A_minus=0.25),
        getattr(sim, weights)(w_min=0.001, w_max=0.01),
        dendritic_delay_fraction=fraction,
        weight=0.005,
        delay=1.0,
    )
    plastic = sim.Projection(source, cells, sim.AllToAllConnector(), rule)
    sim.run(200.0)
    learned = plastic.get("weight", format="array")
    assert learned.min() >= 0.001 * (1 - 1e-6) and learned.max() <= 0.01 * (1 + 1e-6)
    assert not np.allclose(learned, 0.005)
    assert drive.get("weight", format="list", with_address=False)[0] == 0.05


def test_bounds_of_a_rule_change_during_a_run():
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[[10.0, 60.0]]))
    cells = sim.Population(2, sim.IF_cond_exp())
    rule = sim.STDPMechanism(sim.SpikePairRule(), sim.AdditiveWeightDependence(w_max=0.02), weight=0.01, delay=1.0)
    plastic = sim.Projection(source, cells, sim.AllToAllConnector(), rule)
    sim.run(50.0)
    plastic.set(w_max=0.005)
    sim.run(50.0)
    assert np.allclose(plastic.get("weight", format="array"), 0.005)
    sim.reset()
    sim.run(50.0)
    plastic.set(w_max=[0.004, 0.003])
    sim.run(50.0)
    assert np.allclose(plastic.get("weight", format="array"), [[0.004, 0.003]])


def test_vogels_rule():
    source = sim.Population(2, sim.SpikeSourceArray(spike_times=[[10.0], [50.0]]))
    cells = sim.Population(1, sim.IF_cond_exp())
    rule = sim.STDPMechanism(
        sim.Vogels2011Rule(eta=0.001, rho=5.0, tau=20.0),
        sim.AdditiveWeightDependence(w_max=0.1),
        weight=0.01,
        delay=1.0,
        dendritic_delay_fraction=0,
    )
    plastic = sim.Projection(source, cells, sim.AllToAllConnector(), rule, receptor_type="inhibitory")
    sim.run(100.0)
    # No postsynaptic spike: each presynaptic one weakens by 2*eta*rho*tau.
    assert np.allclose(plastic.get("weight", format="array"), 0.01 - 0.001 * 2 * 5e-3 * 20, rtol=1e-5)


def test_parameters_of_synapses_change_during_a_run(tmp_path):
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[[10.0, 110.0, 210.0]]))
    cells = sim.Population(2, sim.IF_curr_exp(tau_syn_E=0.5))
    depressing = sim.TsodyksMarkramSynapse(weight=1.0, delay=1.0, U=0.5, tau_rec=0.1)
    prj = sim.Projection(source, cells, sim.AllToAllConnector(), depressing)
    cells.record("isyn_exc")
    sim.run(100.0)
    prj.set(U=0.25)
    sim.run(100.0)
    prj.set(U=[0.25, 0.75], weight=2.0)
    sim.run(100.0)
    peaks = signal(cells, "isyn_exc")[[110, 1110, 2110]]
    assert peaks == pytest.approx(np.array([[0.5, 0.5], [0.25, 0.25], [0.5, 1.5]]), rel=1e-3)
    prj.save(["weight", "U"], str(tmp_path / "prj.txt"))
    assert np.allclose(np.loadtxt(tmp_path / "prj.txt")[:, 2:], [[2.0, 0.25], [2.0, 0.75]])


def test_single_neurons_are_connected():
    cells = sim.Population(1, sim.IF_curr_exp())
    other = sim.Population(1, sim.IF_curr_exp())
    for connector in (
        sim.OneToOneConnector(),
        sim.FixedProbabilityConnector(1.0),
        sim.AllToAllConnector(allow_self_connections=False),
    ):
        assert len(sim.Projection(cells, other, connector, sim.StaticSynapse(weight=0.1, delay=1.0))) == 1


def test_depression_and_release():
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[[10.0, 60.0, 110.0]]))
    cells = sim.Population(3, sim.IF_curr_exp(tau_syn_E=0.5))
    depressing = sim.TsodyksMarkramSynapse(weight=1.0, delay=1.0, U=0.5, tau_rec=200.0)
    sim.Projection(source, cells[0:1], sim.AllToAllConnector(), depressing)
    sim.Projection(
        source,
        cells[1:2],
        sim.AllToAllConnector(),
        sim.MultiQuantalSynapse(weight=0.1, delay=1.0, n=5, U=1.0, tau_rec=1e6),
    )
    sim.Projection(
        source,
        cells[2:3],
        sim.AllToAllConnector(),
        sim.StochasticTsodyksMarkramSynapse(weight=0.1, delay=1.0, U=1.0, tau_rec=1e6),
    )
    cells.record("isyn_exc")
    sim.run(150.0)
    current = signal(cells, "isyn_exc")
    peaks = current[[110, 610, 1110]]
    assert peaks[0] == pytest.approx([0.5, 0.5, 0.1], rel=1e-3)
    assert peaks[1, 0] == pytest.approx(0.5 * (1 - 0.5 * np.exp(-50 / 200)), rel=5e-3)
    # All sites are empty after the first spike.
    assert peaks[1, 1:] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_electrical_synapses_couple_both_ways():
    cells = sim.Population(2, sim.IF_curr_exp(i_offset=[0.5, 0.0]))
    sim.Projection(cells[0:1], cells[1:2], sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.05))
    cells.record("v")
    sim.run(300.0)
    # At rest the currents through membrane and junction balance.
    v = signal(cells, "v")[-1]
    leak = 1.0 / 20.0
    assert 0.5 == pytest.approx(leak * (v[0] + 65) + 0.05 * (v[0] - v[1]), rel=1e-3)
    assert 0.0 == pytest.approx(leak * (v[1] + 65) + 0.05 * (v[1] - v[0]), abs=1e-3)


def test_currents_and_their_records():
    cells = sim.Population(4, sim.IF_curr_exp(v_thresh=0.0))
    direct = sim.DCSource(amplitude=0.1, start=10.0, stop=20.0)
    steps = sim.StepCurrentSource(times=[5.0, 15.0], amplitudes=[0.2, 0.0])
    wave = sim.StepCurrentSource(times=np.arange(100) * 0.1, amplitudes=np.linspace(0, 0.3, 100))
    noise = sim.NoisyCurrentSource(mean=0.2, stdev=0.1, start=5.0, stop=25.0, dt=0.5)
    cells[0:2].inject(direct)
    cells[0].inject(direct)
    cells[1:2].inject(steps)
    cells[2:3].inject(wave)
    cells[3:4].inject(noise)
    for source in (direct, steps, wave, noise):
        source.record()
    cells.record("v")
    sim.run(12.0)
    direct.amplitude = 0.3
    steps.set_parameters(times=[15.0, 20.0], amplitudes=[0.4, 0.0])
    sim.run(18.0)
    v = signal(cells, "v")
    given = [source.get_data().magnitude[:, 0] for source in (direct, steps, wave, noise)]
    assert given[0][[99, 100, 119, 120, 199, 200]].tolist() == [0, 0.1, 0.1, 0.3, 0.3, 0]
    assert given[1][[49, 50, 150, 199, 200]].tolist() == [0, 0.2, 0.4, 0.4, 0]
    inputs = np.array([2 * given[0], given[0] + given[1], given[2], given[3]]).T
    # The exact solution for a current that is constant in each step.
    decay, expected = np.exp(-0.1 / 20), [-65.0 * np.ones(4)]
    for current in inputs[:-1]:
        expected.append(-65 + (expected[-1] + 65) * decay + current * 20 * (1 - decay))
    assert np.allclose(v, expected, atol=2e-4)
    assert len(np.unique(given[3][50:250])) == 40


def test_native_cells():
    cell = sim.native_cell_type(
        "Simple",
        "dv/dt = (-v + r*i_stim)/tau : volt\ndx/dt = -x/(5*ms) : 1  # a trace",
        threshold="v > 10*mV",
        reset="v = 0*mV; x += 1",
        parameters={"tau": (10.0, "ms"), "r": (20.0, "Mohm")},
        initial={"v": (1.0, "mV")},
        receptors={"excitatory": ("v", "mV"), "inhibitory": ("v", "mV")},
    )
    cells = sim.Population(3, cell(tau=[5.0, 10.0, 20.0]))
    cells.inject(sim.DCSource(amplitude=1.0))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[1.0]))
    sim.Projection(source, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=2.0, delay=0.5))
    cells.record(["spikes", "v", "x"])
    sim.run(20.0)
    assert signal(cells, "v")[0].tolist() == [1.0] * 3
    assert signal(cells, "x").max() >= 1.0
    counts = [len(times) for times in spikes(cells)]
    assert counts[0] > counts[1] > counts[2] > 0
    assert np.allclose(cells.get("tau"), [5.0, 10.0, 20.0])
    sim.run(0.3)
    cells.set(r=0.0)
    cells[2:3].initialize(v=5.0)
    sim.run(1.0)
    assert signal(cells, "v")[203, 2] == 5.0
    assert signal(cells, "v")[-1, 2] == pytest.approx(5 * np.exp(-1 / 20), rel=1e-3)


@pytest.mark.parametrize("step", [0.1, 0.05, 0.02])
def test_cells_of_hodgkin_and_huxley_have_the_rates_of_nest(step):
    """NEST 3.10 at 0.1 ms, with its adaptive step."""
    sim.setup(timestep=step, min_delay=step, backend="cpu")
    cells = sim.Population(6, sim.HH_cond_exp(i_offset=[0.2, 0.3, 0.5, 0.8, 1.2, 2.0]))
    cells.record("spikes")
    sim.run(500.0)
    trains = sorted(cells.get_data().segments[0].spiketrains, key=lambda train: train.annotations["source_index"])
    assert [len(train) for train in trains] == [20, 26, 39, 55, 73, 103]


def test_a_current_that_starts_within_a_step_is_a_warning():
    sim.setup(timestep=0.1, backend="cpu")
    with pytest.warns(spikelet.SpikeletWarning, match=r"DCSource: `start` has 10.03 ms.*at 10 ms"):
        source = sim.DCSource(amplitude=0.5, start=10.03, stop=20.0)
    assert source.start == pytest.approx(10.0)
    with pytest.warns(spikelet.SpikeletWarning, match="StepCurrentSource: `times` has 2.25 ms"):
        sim.StepCurrentSource(times=[1.0, 2.25], amplitudes=[0.1, 0.2])


def test_point_neurons():
    cell = sim.PointNeuron(
        sim.AdExp(tau_m=10.0),
        AMPA=sim.BetaPSR(tau_rise=0.5, tau_decay=3.0, e_syn=0.0),
        GABA=sim.AlphaPSR(tau_syn=2.0, e_syn=-80.0),
    )
    cells = sim.Population(2, cell)
    source = sim.Population(2, sim.SpikeSourceArray(spike_times=[[5.0], [20.0]]))
    sim.Projection(source[0:1], cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.01, delay=1.0), receptor_type="AMPA")
    sim.Projection(source[1:2], cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.02, delay=1.0), receptor_type="GABA")
    cells.record(["v", "AMPA.gsyn", "GABA.gsyn"])
    sim.run(40.0)
    assert signal(cells, "AMPA.gsyn").max() == pytest.approx(0.01, rel=0.01)
    assert signal(cells, "GABA.gsyn").max() == pytest.approx(0.02, rel=0.01)
    assert cells.get("AMPA.tau_rise") == 0.5


@pytest.mark.parametrize("name", sim.list_standard_models())
def test_every_standard_model_runs(name):
    model = getattr(sim, name)
    if name == "PointNeuron":
        pytest.skip("it has a test of its own")
    cells = sim.Population(3, model())
    cells.record("spikes")
    for variable in model.recordable:
        if variable != "spikes":
            cells.record(variable)
    sim.run(20.0)
    segment = cells.get_data().segments[0]
    assert len(segment.spiketrains) == 3
    assert all(np.isfinite(of.magnitude).all() and of.shape == (201, 3) for of in segment.analogsignals)


def test_rates_of_sources():
    poisson = sim.Population(50, sim.SpikeSourcePoisson(rate=40.0, start=100.0, duration=1000.0))
    refractory = sim.Population(50, sim.SpikeSourcePoissonRefractory(rate=40.0, tau_refrac=10.0))
    gamma = sim.Population(50, sim.SpikeSourceGamma(alpha=3, beta=120.0))
    for population in (poisson, refractory, gamma):
        population.record("spikes")
    sim.run(1500.0)
    assert poisson.mean_spike_count() == pytest.approx(40, rel=0.1)
    assert refractory.mean_spike_count() == pytest.approx(60, rel=0.1)
    assert gamma.mean_spike_count() == pytest.approx(60, rel=0.1)
    assert min(times[0] for times in spikes(poisson)) > 100.0
    assert min(np.diff(times).min() for times in spikes(refractory)) >= 10.0 - 1e-9


def test_assemblies_views_and_random_values():
    rng = NumpyRNG(seed=4)
    first = sim.Population(4, sim.IF_cond_exp(tau_m=RandomDistribution("uniform", (10, 20), rng=rng)), label="a b")
    second = sim.Population(3, sim.EIF_cond_exp_isfa_ista(), label="a b")
    both = first + second
    first[1:3].initialize(v=-60.0)
    prj = sim.Projection(
        both,
        both,
        sim.FixedProbabilityConnector(0.6, rng=rng),
        sim.StaticSynapse(weight=0.001, delay=RandomDistribution("uniform", (0.2, 2.0), rng=rng)),
    )
    both.record("v")
    sim.run(10.0)
    assert signal(first, "v")[0].tolist() == [-65.0, -60.0, -60.0, -65.0]
    assert len(np.unique(first.get("tau_m"))) == 4
    assert len(prj.groups) == 4 and sum(len(group.order) for group in prj.groups) == len(prj)
    assert prj.get("weight", format="array").shape == (7, 7)
    prj.set(weight=0.002)
    sim.run(1.0)
    assert both.get_data().segments[0].filter(name="v")[0].shape[0] == 111


def test_f64_is_the_reference():
    def run(precision):
        sim.setup(timestep=0.1, backend="cpu", precision=precision)
        cells = sim.Population(2, sim.IF_cond_exp(i_offset=0.9))
        cells.record(["spikes", "v"])
        sim.run(30.0)
        cells.set(tau_m=[15.0, 20.0])
        sim.run(30.0)
        return spikes(cells), signal(cells, "v")

    (a, v), (b, w) = run("f32"), run("f64")
    assert [list(x) for x in a] == [list(x) for x in b]
    assert np.allclose(v, w, atol=1e-3) and v.shape == w.shape == (601, 2)


def test_errors_are_sentences():
    cells = sim.Population(2, sim.IF_curr_exp())
    with pytest.raises(NotImplementedError, match="draw its spikes"):
        sim.SpikeSourceInhGamma()
    with pytest.warns(UserWarning, match="speed has no meaning"):
        sim.setup(timestep=0.1, speed=3)
    sim.setup(timestep=0.1, backend="cpu")
    cells = sim.Population(2, sim.IF_curr_exp())
    sim.Projection(cells, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=0.01))
    with pytest.raises(ValueError, match="shorter than a step"):
        sim.run(1.0)
    with pytest.raises(ValueError, match="shorter than a step"):
        sim.run(1.0)
    assert sim.get_current_time() == 0.0
    sim.setup(timestep=0.1, backend="cpu")
    cells = sim.Population(2, sim.IF_curr_exp())
    prj = sim.Projection(cells, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=1.0))
    sim.run(1.0)
    assert (sim.get_min_delay(), sim.get_max_delay()) == (1.0, 1.0)
    with pytest.raises(NotImplementedError, match="delays cannot be changed"):
        prj.set(delay=2.0)
    with pytest.raises(NotImplementedError, match="first run"):
        sim.Population(1, sim.IF_curr_exp())
    with pytest.raises(ValueError, match="has no variable"):
        cells.initialize(u=1.0)
