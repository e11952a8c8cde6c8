"""Connectomes: tables of neurons, edges by identifiers, neurons that are silenced."""

import csv
import json

import numpy as np
import pytest

from spikelet import Simulation, SpikeletError, Sweep

FIRST = 720575940600000000
TYPES = ["sugar", "relay", "MN9"]


@pytest.fixture
def brain(tmp_path):
    """The path of a network with its files: three types in a chain, each of four neurons."""
    with open(tmp_path / "neurons.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["root_id", "cell_type", "nt"])
        rows.writerows([FIRST + k, TYPES[k // 4], "ACH"] for k in range(12))
    with open(tmp_path / "edges.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["pre_root_id", "post_root_id", "syn_count"])
        rows.writerows([FIRST + pre, FIRST + 4 + pre, 9] for pre in range(8))
    network = {
        "name": "chain",
        "dt_ms": 0.1,
        "duration_ms": 100,
        "populations": [
            {
                "name": "brain",
                "size": 12,
                "neurons": {"file": "neurons.csv", "id": "root_id"},
                "equations": "dv/dt = (12*mV*driven - v)/(10*ms) : volt\ndriven : 1",
                "threshold": "v > 8*mV",
                "reset": "v = 0*mV",
                "parameters": {"driven": "cell_type == 'sugar'"},
            }
        ],
        "projections": [
            {
                "name": "edges",
                "pre": "brain",
                "post": "brain",
                "pairs": {"file": "edges.csv", "columns": {"w": "syn_count"}},
                "equations": "w : 1 (constant)",
                "on_pre": "v_post += w*mV",
                "delay_ms": 1.5,
            }
        ],
    }
    path = tmp_path / "network.json"
    path.write_text(json.dumps(network))
    return path


def counts(brain, **options):
    simulation = Simulation(brain, backend="cpu", **options)
    simulation.run()
    return simulation.spikes("brain").counts().reshape(3, 4).sum(axis=1)


def test_types_are_driven_and_silenced(brain):
    sugar, relay, motor = counts(brain)
    assert sugar > 20 and relay == pytest.approx(sugar, abs=4) and motor == pytest.approx(sugar, abs=4)
    without = counts(brain, values={"brain.silenced": "cell_type == 'relay'"})
    assert without.tolist() == [sugar, 0, 0]
    assert counts(brain, values={"brain.silenced": "cell_type == 'relay'"}, threads=2).tolist() == without.tolist()
    assert counts(brain, values={"brain.driven": 0}).tolist() == [0, 0, 0]


def test_a_sweep_silences_each_type(brain):
    sweep = Sweep(brain, {"brain.silenced": ["0", *(f"cell_type == '{of}'" for of in TYPES)]}, backend="cpu")
    sweep.run()
    whole = counts(brain).sum()
    spikes = sweep.table["brain rate_hz"] * 12 * 0.1
    assert spikes.round().astype(int).tolist()[0] == whole
    assert spikes[1] == 0 and (np.diff(spikes[1:]) > 0).all()


def test_neurons_have_their_table(brain):
    simulation = Simulation(brain, backend="cpu")
    table = simulation.neurons("brain")
    assert list(table) == ["root_id", "cell_type", "nt"] and table["root_id"][3] == str(FIRST + 3)
    with pytest.raises(SpikeletError, match="did you mean `brain`"):
        simulation.neurons("brian")
    with pytest.raises(SpikeletError, match="no table"):
        Simulation("cuba", backend="cpu").neurons("E")
    with pytest.raises(SpikeletError, match="no neuron of"):
        Simulation(brain, backend="cpu", values={"brain.silenced": "cell_type == 'relais'"})


def test_tables_come_from_frames(brain):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    network = json.loads(brain.read_text().replace("edges.csv", "edges.parquet").replace("neurons.csv", "neurons.parquet"))
    files = {f"{of}.parquet": pandas.read_csv(brain.parent / f"{of}.csv").to_parquet() for of in ("edges", "neurons")}
    assert counts(network, files=files).tolist() == counts(brain).tolist()
