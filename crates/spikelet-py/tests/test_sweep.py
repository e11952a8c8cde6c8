"""Sweeps, and what is made of their tables."""

import json

import numpy as np
import pytest

from spikelet import Simulation, Sweep


def test_each_trial_is_that_of_a_simulation():
    sweep = Sweep("cuba", {"E.taum": ["15 ms", "20 ms"], "I.taum": [20, 25]}, trials=2, duration_ms=30, backend="cpu")
    assert len(sweep) == 8
    sweep.run()
    table = sweep.table
    assert table["E.taum"].tolist() == ["15 ms"] * 4 + ["20 ms"] * 4 and table["I.taum"].tolist() == [20, 20, 25, 25] * 2
    assert table["trial"].tolist() == [0, 1] * 4 and (table["spikes"] > 0).all()
    network = Simulation("cuba", backend="cpu", duration_ms=30, trials=range(1, 2))
    network.set("E.taum", "15 ms")
    network.set("I.taum", 25)
    network.reset(1)
    network.run()
    report = network.report()
    assert table["spikes_hash"][3] == report["spikes_hash"]
    assert table["E rate_hz"][3] == pytest.approx(report["populations"][0]["rate_hz"])


def test_values_that_change_the_build_run_in_groups(cells):
    del cells["projections"], cells["recordings"]
    sweep = Sweep(cells, {"driver.size": [1, 3]}, backend="cpu")
    sweep.run()
    assert sweep.table["spikes"].tolist() == [3, 9] and sweep.table["driver.size"].tolist() == [1, 3]


def test_durations_and_steps_can_be_swept():
    sweep = Sweep("cuba", {"duration_ms": [20, 40], "dt_ms": [0.1, 0.2]}, backend="cpu")
    sweep.run()
    table = sweep.table
    assert table["time_ms"] == pytest.approx([20, 20, 40, 40])
    for row, (duration_ms, dt_ms) in enumerate([(20, 0.1), (20, 0.2), (40, 0.1), (40, 0.2)]):
        simulation = Simulation("cuba", backend="cpu", duration_ms=duration_ms, dt_ms=dt_ms)
        simulation.run()
        assert table["spikes_hash"][row] == simulation.report()["spikes_hash"]


def test_tables_are_for_pandas():
    pandas = pytest.importorskip("pandas")
    sweep = Sweep("cuba", {"E.taum": ["15 ms", "20 ms"]}, trials=2, duration_ms=20, backend="cpu")
    assert len(sweep.to_pandas()) == 0
    sweep.run(progress=lambda done, all_: None)
    frame = sweep.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 4
    assert frame.groupby("E.taum")["spikes"].mean().notna().all()


def test_a_measure_adds_columns():
    def measure(simulation: Simulation) -> dict[str, float]:
        return {"cv": simulation.spikes("E").cv(2), "mean v": simulation.get("E.v").mean()}

    values = {"E.taum": ["15 ms", "20 ms"], "EE.we": [1.4, 1.62]}
    sweep = Sweep("cuba", values, trials=2, duration_ms=30, measure=measure, backend="cpu")
    assert len(sweep) == 8
    sweep.run()
    table = sweep.table
    assert len(table["mean v"]) == 8 and np.unique(table["mean v"]).size == 4
    plain = Sweep("cuba", values, trials=2, duration_ms=30, backend="cpu")
    plain.run()
    assert table["spikes_hash"].tolist() == plain.table["spikes_hash"].tolist()


def test_a_measured_sweep_finds_the_files_of_its_network(cells, tmp_path):
    cells["projections"] = [
        {"name": "S", "pre": "driver", "post": "listener", "pairs": {"file": "edges.csv"}, "on_pre": "ge_post += 1*mV"}
    ]
    (tmp_path / "net.json").write_text(json.dumps(cells))
    (tmp_path / "edges.csv").write_text("pre,post\n0,1\n1,2\n")
    sweep = Sweep(
        tmp_path / "net.json", {"driver.tau": [20, 10]}, measure=lambda s: {"synapses": s.projections["S"]}, backend="cpu"
    )
    sweep.run()
    assert sweep.table["synapses"].tolist() == [2, 2]


def test_a_sweep_without_values_is_its_trials(cells):
    sweep = Sweep(cells, {}, trials=3, backend="cpu")
    sweep.run()
    assert sweep.table["trial"].tolist() == [0, 1, 2] and np.unique(sweep.table["spikes"]).size == 1
    assert repr(sweep) == "<spikelet.Sweep of trials: 3 of 3 trials>"
