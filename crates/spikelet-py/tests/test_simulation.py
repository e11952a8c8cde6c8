"""Simulations: runs, values, recordings, snapshots."""

import json
import warnings

import numpy as np
import pytest

import spikelet
from spikelet import Simulation, SpikeletError


def test_spikes_are_arrays_in_the_order_of_time(simulation):
    simulation.run()
    spikes = simulation.spikes("driver")
    assert (spikes.neurons.dtype, spikes.steps.dtype, spikes.times.dtype) == (np.uint32, np.uint32, np.float64)
    # v(t) = -45 - 20·exp(-t/20): from -65 to -50 mV in 20·ln(4) = 27.7 ms.
    assert spikes.steps.tolist() == [277, 277, 555, 555, 833, 833]
    assert spikes.neurons.tolist() == [0, 1] * 3
    assert spikes.times[0] == pytest.approx(27.7)
    assert spikes.counts().tolist() == [3, 3] and [len(train) for train in spikes.trains()] == [3, 3]
    assert spikes.rate() == 30 and len(simulation.spikes()) >= len(spikes)
    assert simulation.time_ms == 100 and simulation.step == 1000


def test_runs_continue_and_the_parts_make_the_whole(cells):
    whole = Simulation(cells, backend="cpu")
    whole.run(100)
    parts = Simulation(json.dumps(cells), backend="cpu", threads=1)
    for _ in range(4):
        parts.run(25)
    assert parts.report()["spikes_hash"] == whole.report()["spikes_hash"]
    with pytest.raises(SpikeletError, match=r"100 ms of the network are over"):
        parts.run()
    parts.reset()
    assert parts.step == 0 and len(parts.spikes()) == 0
    parts.run()
    assert parts.report()["spikes_hash"] == whole.report()["spikes_hash"]


def test_traces_have_the_values_of_their_times(simulation):
    simulation.record("driver.v", every_ms=1)
    simulation.record("listener.v", slice(1, 3))
    simulation.run(20)
    trace = simulation.trace("driver.v")
    assert trace.values.shape == (20, 2) and trace.unit == "mV" and trace.indices.tolist() == [0, 1]
    assert np.allclose(trace.values[:, 0], -45 - 20 * np.exp(-trace.times / 20), atol=1e-3)
    assert simulation.trace("listener.v").values.shape == (200, 3)
    assert simulation.trace("listener.v[2]").labels == ["listener.v[2]"]
    assert simulation.recorded == ["listener.v[0]", "driver.v[0]", "driver.v[1]", "listener.v[1]", "listener.v[2]"]


def test_a_recording_that_is_added_later_begins_then(simulation):
    simulation.run(10)
    simulation.record("driver.v", 1)
    simulation.run(5)
    trace = simulation.trace("driver.v")
    assert trace.times[0] == pytest.approx(10) and len(trace.times) == 50
    assert len(simulation.trace("listener.v").times) == 150
    simulation.record("driver.v[1]", every_ms=1)
    simulation.run(5)
    assert len(simulation.trace("driver.v").times) == 55 and simulation.trace("driver.v").times[-1] == pytest.approx(19)


CHOICES = {
    "numbers": np.array([0, 2]),
    "a mask": np.array([True, False, True]),
    "a tuple": (0, 2),
    "a range": range(0, 3, 2),
    "a slice": slice(0, 3, 2),
}


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_neurons_are_chosen_by_numbers_or_a_mask(simulation, choice):
    simulation.record("listener.v", CHOICES[choice])
    simulation.record("driver.v", np.array(1))
    assert simulation.recorded == ["listener.v[0]", "listener.v[2]", "driver.v[1]"]


def test_means_are_recorded(cells):
    cells["recordings"] = [{"object": "driver", "var": "v", "indices": [0, 1], "reduce": "mean"}]
    simulation = Simulation(cells, backend="cpu")
    simulation.run(1)
    trace = simulation.trace("driver.v")
    assert trace.values.shape == (10, 1) and trace.indices.tolist() == [-1]


def test_values_are_read_and_set(simulation):
    assert simulation.unit("driver.v") == "mV" and simulation.variables["S.w"] == "mV"
    assert np.allclose(simulation.get("driver.v"), -65)
    simulation.set("driver.v", [-60, -61])
    simulation.set("listener.v[1:3]", -59)
    simulation.set("driver.E_L", "-40 mV")
    assert simulation.get("driver.v[1]").tolist() == [-61]
    assert simulation.get("listener.v").tolist()[1:] == [-59, -59]
    assert simulation.network["populations"][0]["parameters"]["E_L"] == "-40 mV"
    simulation.run(50)
    weights = simulation.get("S.w")
    assert len(weights) == 6 and (weights > 2).all()
    table = simulation.synapses("S")
    assert table["pre"].tolist() == [0, 0, 0, 1, 1, 1] and table["post"].tolist() == [0, 1, 2] * 2
    assert np.allclose(table["w"], weights) and np.allclose(table["delay_ms"], 1.5)


def test_parameters_are_read_and_set_in_their_unit():
    simulation = Simulation("cuba", backend="cpu")
    assert simulation.get("EE.we").tolist() == [1.62] and simulation.unit("EE.we") == "mV"
    assert simulation.unit("E.taum") == "ms" and simulation.get("E.taum").tolist() == [20]
    simulation.set("EE.we", 1.5)
    assert simulation.get("EE.we").tolist() == [1.5]
    assert simulation.network["projections"][0]["parameters"]["we"] == "1.5 mV"
    simulation.run(1)


def test_a_snapshot_continues_bit_by_bit(cells):
    simulation = Simulation(cells, backend="cpu")
    simulation.run(40)
    state = simulation.snapshot()
    simulation.run(60)
    end, trace = simulation.report()["spikes_hash"], simulation.trace("listener.v")
    simulation.restore(state)
    assert simulation.time_ms == pytest.approx(40) and simulation.spikes().steps.max() < 400
    simulation.run(60)
    assert simulation.report()["spikes_hash"] == end
    again = simulation.trace("listener.v")
    assert np.array_equal(again.values, trace.values) and np.array_equal(again.times, trace.times)
    elsewhere = Simulation(cells, backend="cpu")
    elsewhere.restore(state)
    elsewhere.run(60)
    assert np.array_equal(elsewhere.get("listener.v"), simulation.get("listener.v"))


def test_edges_and_columns_come_from_arrays(cells):
    cells["projections"] = [
        {"name": "S", "pre": "driver", "post": "listener", "pairs": {"file": "S.npz"}, "on_pre": "ge_post += w"}
    ]
    columns = {"pre": [0, 1, 1], "post": np.array([2, 0, 1], dtype=np.uint16), "w [mV]": np.float32([1, 2, 3])}
    simulation = Simulation(cells, backend="cpu", files={"S.npz": columns})
    table = simulation.synapses("S")
    assert table["pre"].tolist() == [0, 1, 1] and table["post"].tolist() == [2, 0, 1]
    assert np.allclose(table["w"], [1, 2, 3], rtol=1e-5)


def test_trials_differ_in_their_noise_alone():
    simulation = Simulation("brunel_ai", backend="cpu", trials=range(3, 5), duration_ms=20)
    simulation.run()
    first, second = (simulation.spikes(trial=trial) for trial in (0, 1))
    assert len(first) > 0 and not np.array_equal(first.steps, second.steps)
    alone = Simulation("brunel_ai", backend="cpu", trials=range(4, 5), duration_ms=20)
    alone.run()
    assert alone.report()["spikes_hash"] == simulation.report(trial=1)["spikes_hash"]


def test_conditions_end_a_run(simulation):
    simulation.run(100, until="spikes(driver) > 2")
    assert simulation.step == 556 and len(simulation.spikes("driver")) == 4
    # Values are those of this step, after its resets.
    assert np.allclose(simulation.get("driver.v"), -65)
    simulation.run(44.4)
    assert len(simulation.spikes("driver")) == 6


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_values_are_those_after_the_resets_of_the_last_step(cells, precision):
    simulation = Simulation(cells, backend="cpu", precision=precision)
    simulation.run(27.8)
    assert simulation.get("driver.v").tolist() == [-65, -65] and len(simulation.get("listener.ge")) == 3
    simulation.run(1.5)
    assert simulation.get("listener.ge").max() > 0
    # Nothing has changed by it.
    simulation.run(70.7)
    whole = Simulation(cells, backend="cpu", precision=precision)
    whole.run()
    assert simulation.report()["spikes_hash"] == whole.report()["spikes_hash"]
    assert np.array_equal(simulation.trace("listener.v").values, whole.trace("listener.v").values)


def test_f64_is_the_reference(cells):
    simulation = Simulation(cells, precision="f64")
    simulation.record("driver.v", [0])
    simulation.run(20)
    trace = simulation.trace("driver.v")
    assert np.allclose(trace.values[:, 0], -45 - 20 * np.exp(-trace.times / 20), rtol=0, atol=1e-11)
    # What continues from a snapshot, also with other recordings, is the same by bits.
    snapshot = simulation.snapshot()
    simulation.record("driver.v", [1])
    for _ in range(2):
        simulation.restore(snapshot)
        simulation.run(20)
        assert np.array_equal(simulation.get("driver.v"), undisturbed(cells, 40))
    with pytest.raises(SpikeletError, match="of a run in f64"):
        Simulation(cells, backend="cpu").restore(snapshot)


def undisturbed(cells, duration_ms):
    simulation = Simulation(cells, precision="f64")
    simulation.run(duration_ms)
    return simulation.get("driver.v")


def test_the_hash_is_that_of_every_backend(cells):
    hashes = set()
    for options in ({"threads": 1}, {"threads": 2}, *({"backend": "gpu"} for _ in spikelet.gpus()[:1])):
        simulation = Simulation("cuba", duration_ms=50, **({"backend": "cpu"} | options))
        simulation.run()
        hashes.add(simulation.report()["spikes_hash"])
    assert len(hashes) == 1


def test_notices_are_warnings(cells):
    del cells["projections"], cells["recordings"]
    cells["populations"][0]["parameters"]["E_L"] = "-60 mV"
    with pytest.warns(spikelet.SpikeletWarning, match="no neuron"):
        Simulation(cells, backend="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation("cuba", backend="cpu")


def test_progress_is_shown(simulation, capsys):
    reached = []
    simulation.run(50, progress=lambda time_ms, end_ms: reached.append((time_ms, end_ms)))
    assert reached[-1] == (50, 50) and all(end == 50 for _, end in reached)
    simulation.run(10, progress=True)
    shown = capsys.readouterr().err
    assert "10/10 ms" in shown or "60 of 60 ms" in shown


def test_files_of_networks_are_read(cells, tmp_path):
    cells["projections"] = [
        {"name": "S", "pre": "driver", "post": "listener", "pairs": {"file": "edges.csv"}, "on_pre": "ge_post += 1*mV"}
    ]
    (tmp_path / "net.json").write_text(json.dumps(cells))
    (tmp_path / "edges.csv").write_text("pre,post\n0,1\n1,2\n")
    assert Simulation(tmp_path / "net.json", backend="cpu").projections == {"S": 2}


def test_tables_of_neurons_are_read(cells, tmp_path):
    cells["populations"][1]["neurons"] = {"file": "neurons.csv", "id": "id"}
    cells["projections"] = [
        {
            "name": "S",
            "pre": "driver",
            "post": "listener[type == 'a']",
            "connect": {"rule": "all"},
            "on_pre": "ge_post += 1*mV",
        },
        {"name": "T", "pre": "listener", "post": "listener", "pairs": {"file": "edges.csv"}, "on_pre": "ge_post += 1*mV"},
    ]
    (tmp_path / "neurons.csv").write_text("id,type\n720575940600000001,a\n720575940600000002,b\n720575940600000003,a\n")
    (tmp_path / "edges.csv").write_text("720575940600000003,720575940600000001\n")
    (tmp_path / "net.json").write_text(json.dumps(cells))
    assert Simulation(tmp_path / "net.json", backend="cpu").projections == {"S": 4, "T": 1}
    (tmp_path / "edges.csv").write_text("720575940600000003,720575940600000004\n")
    with pytest.raises(SpikeletError, match="must be the identifier of a postsynaptic neuron"):
        Simulation(tmp_path / "net.json", backend="cpu")


def test_networks_of_the_catalogue_are_dicts_of_any_size():
    network = spikelet.catalogue("cuba", scale=0.1)
    network["populations"][0]["parameters"]["taum"] = "15 ms"
    simulation = Simulation(network, backend="cpu")
    assert simulation.populations == {"E": 320, "I": 80}
    with pytest.raises(SpikeletError, match="did you mean `cuba`"):
        spikelet.catalogue("cub")
    with pytest.raises(SpikeletError, match="scale is 0"):
        spikelet.catalogue("cuba", 0)
