"""What is not valid is an exception with a sentence, and nothing is lost by it."""

import json

import numpy as np
import pytest

import spikelet
from spikelet import Simulation, SpikeletError, Sweep

#: A call with a simulation of the two populations, and what its error says.
CALLS = {
    "an unknown variable": (lambda s: s.get("driver.u"), "there is no parameter or variable `u`"),
    "an unknown population": (lambda s: s.spikes("X"), "there is no population 'X'; there are driver, listener"),
    "an unknown projection": (lambda s: s.synapses("T"), "there is no projection `T`"),
    "a slice out of range": (lambda s: s.get("driver.v[0:9]"), "`driver.v` has 2 values"),
    "a matrix": (lambda s: s.set("driver.v", np.zeros((2, 2))), "shape (2, 2)"),
    "texts in an array": (lambda s: s.set("driver.v", np.array(["a", "b"])), "type <U1"),
    "complex numbers": (lambda s: s.set("driver.v", 1j), "type complex128"),
    "a wrong number of values": (lambda s: s.set("driver.v", [1, 2, 3]), "driver.v is 3 values, but it has 2 values"),
    "a value that is not finite": (lambda s: s.set("driver.v", float("nan")), "driver.v"),
    "a wrong dimension": (lambda s: s.set("driver.tau", "15 mV"), "expected volt/second"),
    "a value that is not one": (lambda s: s.set("driver.tau", "quick"), "quick"),
    "a negative time": (lambda s: s.run(-1), "duration_ms is -1"),
    "an endless time": (lambda s: s.run(float("inf")), "duration_ms is inf"),
    "a part of a step": (lambda s: s.run(0.05), "the nearest ones are 0 and 0.1"),
    "a condition": (lambda s: s.run(1, until="spikes(X) > 1"), "X"),
    "a trial": (lambda s: s.spikes(trial=1), "trial is 1, but the simulation has 1"),
    "a negative trial": (lambda s: s.spikes(trial=-1), "trial is -1"),
    "what is not recorded": (lambda s: s.trace("driver.v"), "driver.v is not recorded together; recorded are listener.v[0]"),
    "a recording without variable": (lambda s: s.record("driver"), "'driver' is not a variable"),
    "a mask of another length": (
        lambda s: s.record("driver.v", np.array([True])),
        "a mask of 1 values; give one for each of the 2",
    ),
    "a matrix of indices": (lambda s: s.record("driver.v", np.zeros((1, 2), int)), "indices have shape (1, 2)"),
    "a window without a step": (lambda s: s.spikes("driver").rates(0.05), "window_ms is 0.05; a window has at least one step"),
    "an endless window": (lambda s: s.spikes("driver").rates(float("nan")), "window_ms is nan"),
    "a recording out of range": (lambda s: s.record("driver.v", [7]), "driver has neurons 0 to 1"),
    "a recording of nothing known": (lambda s: s.record("X.v"), "there is no population or projection 'X'"),
    "another snapshot": (lambda s: s.restore(b"nothing"), "is not a snapshot"),
}


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_a_call_is_refused_and_changes_nothing(simulation, call):
    simulation.run(30)
    before = simulation.snapshot()
    wrong, sentence = CALLS[call]
    with pytest.raises(SpikeletError) as raised:
        wrong(simulation)
    assert sentence in str(raised.value), raised.value
    assert simulation.snapshot() == before and len(simulation.spikes("driver")) == 2
    simulation.run(10)


#: Networks and options of a simulation.
OPENED = {
    "an unknown name": (("cubaa",), {}, "there is no network `cubaa`; did you mean `cuba`?"),
    "a file that is missing": (("missing.json",), {}, "missing.json cannot be read"),
    "JSON that is cut off": (('{"name": "x"',), {}, "line 1"),
    "a number of threads": (("cuba",), {"threads": 0}, "threads is 0"),
    "a negative number": (("cuba",), {"threads": -1}, "threads is -1"),
    "a precision": (("cuba",), {"precision": "f16"}, 'precision is "f16"'),
    "f64 on a GPU": (("cuba",), {"precision": "f64", "backend": "gpu"}, "a GPU was requested, which computes in f32"),
    "a backend": (("cuba",), {"backend": "tpu"}, "there is no backend `tpu`"),
    "an adapter": (("cuba",), {"adapter": "no such card"}, "no such card"),
    "no trials": (("cuba",), {"trials": 0}, "trials is 0"),
    "backward trials": (("cuba",), {"trials": range(3, 1)}, "range(3, 1)"),
    "a step": (("cuba",), {"dt_ms": -0.1}, "dt_ms"),
    "a step that is not a number": (("cuba",), {"dt_ms": float("nan")}, "dt_ms"),
}


@pytest.mark.parametrize("case", OPENED, ids=str)
def test_a_simulation_is_refused(case):
    arguments, options, sentence = OPENED[case]
    with pytest.raises(SpikeletError) as raised:
        Simulation(*arguments, **({"backend": "cpu"} if "adapter" not in options else {}) | options)
    assert sentence in str(raised.value), raised.value


@pytest.mark.parametrize("network", [3, None, ["cuba"], b"{}", {1, 2}], ids=str)
def test_a_network_of_another_type_is_refused(network):
    with pytest.raises(TypeError, match="a network is a name of the catalogue, a path, JSON or a dict"):
        Simulation(network)


def test_all_errors_of_a_network_are_listed(cells):
    cells["populations"][0]["equations"] = "dv/dt = (E_L - u)/tau : volt"
    cells["populations"][1]["model"] = "lif_expp"
    found = spikelet.check(cells)
    assert len(found) == 2 and "`u`" in found[0] and "lif_expp" in found[1]
    with pytest.raises(SpikeletError, match="`u`"):
        Simulation(cells, backend="cpu")


def test_a_network_has_finite_numbers_of_known_types(cells):
    cells["dt_ms"] = float("inf")
    with pytest.raises(SpikeletError, match="finite"):
        Simulation(cells, backend="cpu")
    cells["dt_ms"] = object()
    with pytest.raises(TypeError, match="a network cannot contain a value of type object"):
        Simulation(cells, backend="cpu")
    # Numbers of numpy are numbers.
    cells["dt_ms"], cells["populations"][0]["size"] = np.float64(0.1), np.int32(2)
    assert Simulation(cells, backend="cpu").populations["driver"] == 2


FILES = {
    "a column of another length": ({"pre": [0, 1], "post": [0]}, "differ in length"),
    "a matrix": ({"pre": [[0]], "post": [0]}, "shape (1, 1)"),
    "texts": ({"pre": ["a"], "post": ["b"]}, "type <U1"),
    "an index out of range": ({"pre": [9], "post": [0]}, "9"),
    "a negative index": ({"pre": [-1], "post": [0]}, "-1"),
    "a column that is missing": ({"pre": [0]}, "post"),
    "bytes that are no archive": (b"PK\x03\x04nothing", "S.npz"),
    "a path that is missing": ("nowhere.npz", "nowhere.npz"),
}


@pytest.mark.parametrize("case", FILES, ids=str)
def test_a_file_is_refused(cells, case):
    content, sentence = FILES[case]
    cells["projections"] = [
        {"name": "S", "pre": "driver", "post": "listener", "pairs": {"file": "S.npz"}, "on_pre": "ge_post += 1*mV"}
    ]
    with pytest.raises(SpikeletError) as raised:
        Simulation(cells, backend="cpu", files={"S.npz": content})
    assert sentence in str(raised.value), raised.value


def test_columns_are_a_file_of_numpy(cells):
    with pytest.raises(SpikeletError, match="end its name in .npz"):
        Simulation(cells, backend="cpu", files={"S.csv": {"pre": [0], "post": [0]}})


def test_a_file_that_nobody_gave_is_named(cells):
    cells["projections"] = [
        {"name": "S", "pre": "driver", "post": "listener", "pairs": {"file": "S.npz"}, "on_pre": "ge_post += 1*mV"}
    ]
    with pytest.raises(SpikeletError, match=r'"S.npz", but neither `files` nor .* has it'):
        Simulation(cells, backend="cpu")


def test_a_state_that_diverges_keeps_what_was_recorded(cells):
    cells["populations"][0]["equations"] = "dv/dt = (v - E_L)/(0.05*ms) : volt"
    cells["populations"][0].pop("threshold"), cells["populations"][0].pop("reset")
    cells["populations"][0]["method"] = "euler"
    simulation = Simulation(cells, backend="cpu")
    with pytest.raises(SpikeletError, match=r"v of neuron 0 in `driver` became -?(inf|infinity)"):
        simulation.run(100)
    assert 0 < simulation.time_ms < 100 and len(simulation.trace("listener.v").times) == simulation.step


def test_types_of_arguments_are_named(simulation):
    for call in (
        lambda: simulation.run("long"),
        lambda: simulation.record(["driver.v"]),
        lambda: simulation.spikes(trial="first"),
        lambda: simulation.spikes(trial=0.5),
        lambda: Simulation("cuba", threads="all"),
        lambda: Simulation("cuba", trials=1.5),
        lambda: Simulation("cuba", files={"a": 3}),
    ):
        with pytest.raises(TypeError, match="of type"):
            call()


def test_models_are_named():
    with pytest.raises(SpikeletError, match="there is no model `adexx`; did you mean `adex`?"):
        spikelet.model("adexx")
    with pytest.raises(SpikeletError, match="kind is 'cell'; there are neuron, source, synapse"):
        spikelet.models("cell")
    for name in spikelet.models():
        assert spikelet.model(name)["name"] == name


def test_a_sweep_is_refused():
    for values, sentence in (
        ({"E.taumm": ["10 ms"]}, "taumm"),
        ({"E.taum": ["10 mV"]}, "voltage"),
        ({"E.taum": []}, "no values for E.taum"),
        ({"E.taum": [None]}, "a value of E.taum is None"),
        ({"E.taum": [float("nan")]}, "finite"),
    ):
        with pytest.raises(SpikeletError) as raised:
            Sweep("cuba", values, backend="cpu")
        assert sentence in str(raised.value), raised.value


def test_the_format_of_errors_is_that_of_the_command_line(cells):
    cells["populations"][0]["size"] = 0
    with pytest.raises(SpikeletError, match=r"populations\[0\].size is 0"):
        Simulation(json.dumps(cells), backend="cpu")
