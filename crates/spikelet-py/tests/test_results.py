"""Results in the forms of other packages."""

import numpy as np
import pytest

import spikelet
from spikelet import Simulation


@pytest.fixture(scope="module")
def cuba() -> Simulation:
    simulation = Simulation("cuba", backend="cpu")
    simulation.run(200)
    return simulation


def test_rates_over_time_are_means_in_windows(cuba):
    spikes = cuba.spikes("E")
    starts, rates = spikes.rates(10)
    assert len(starts) == len(rates) == 20 and starts[1] == pytest.approx(10)
    assert rates.mean() == pytest.approx(spikes.rate())
    assert spikes.counts().sum() == len(spikes) == sum(map(len, spikes.trains()))
    assert repr(spikes) == f"<{len(spikes)} spikes of E, 3200 neurons, 200 ms>"


def test_parts_of_spikes_have_their_own_rates(cuba):
    spikes = cuba.spikes("E")
    late = spikes.between(100)
    assert late.duration_ms == 100 and len(late) + len(spikes.between(0, 100)) == len(spikes)
    assert late.rate() == pytest.approx(1000 * len(late) / 3200 / 100) and late.rates(10)[0][0] == pytest.approx(100)
    some = spikes.of(slice(0, 50))
    assert some.size == 50 and np.array_equal(some.counts(), spikes.counts()[:50])
    assert np.array_equal(spikes.of([7, 3]).counts(), spikes.counts()[[7, 3]])
    report = {of["name"]: of for of in cuba.report()["populations"]}
    assert spikes.cv() == pytest.approx(report["E"]["cv_isi"])
    assert np.isnan(spikes.between(0, 1).cv()) and len(spikes.intervals()) == 3200
    with pytest.raises(spikelet.SpikeletError, match="there is no time from 150 to 100 ms; 0 to 200 ms are recorded"):
        spikes.between(150, 100)


def test_spikes_without_any_are_empty_arrays(simulation):
    spikes = simulation.spikes()
    assert len(spikes) == 0 and spikes.rate() == 0 and spikes.rates()[0].size == 0 and len(spikes.trains()) == 5


def test_pandas_has_tables(cuba):
    pytest.importorskip("pandas")
    frame = cuba.spikes("E").to_pandas()
    assert list(frame.columns) == ["neuron", "time_ms"] and len(frame) == len(cuba.spikes("E"))
    traces = cuba.trace("E.v").to_pandas()
    assert traces.index.name == "time_ms" and list(traces.columns) == ["E.v[0]", "E.v[1]"]


def test_neo_and_elephant_read_it(cuba):
    pytest.importorskip("neo")
    block = cuba.to_neo()
    segment = block.segments[0]
    assert len(segment.spiketrains) == 4000 and [signal.name for signal in segment.analogsignals] == ["E.v", "I.v"]
    assert segment.analogsignals[0].shape == (2000, 2) and str(segment.analogsignals[0].units.dimensionality) == "mV"
    assert sum(map(len, segment.spiketrains)) == len(cuba.spikes())
    statistics = pytest.importorskip("elephant.statistics")
    trains = [train for train in segment.spiketrains if len(train) > 3]
    cv = np.nanmean([statistics.cv(statistics.isi(train)) for train in trains])
    assert 0 < cv < 3


def test_plots_are_one_call(cuba):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = cuba.spikes("E").plot()
    assert axes.get_xlabel() == "time (ms)" and axes.get_ylabel() == "neuron of E"
    _, own = pyplot.subplots()
    assert cuba.trace("E.v").plot(own, linewidth=1) is own and own.get_ylabel() == "E.v (mV)"
    pyplot.close("all")


def test_the_names_of_the_module_exist():
    for name in spikelet.__all__:
        if name not in ("Widget", "from_brian2"):
            assert getattr(spikelet, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'simulation_'"):
        spikelet.simulation_  # noqa: B018
