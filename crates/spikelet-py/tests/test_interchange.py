"""Files of other tools, and networks for other tools."""

import json
from pathlib import Path

import numpy as np
import pytest

import spikelet
from spikelet import Simulation, SpikeletError


def test_a_written_file_is_read_again(tmp_path):
    network = spikelet.catalogue("cuba", scale=0.02) | {"duration_ms": 50}
    with pytest.warns(spikelet.SpikeletWarning):
        paths = spikelet.export(network, "neuroml", tmp_path / "new")
    assert [path.name for path in paths] == ["network.xml"] and paths[0].stat().st_size > 1000
    loaded = spikelet.load(paths[0])
    assert sum(population["size"] for population in loaded["populations"]) == 80
    Simulation(loaded, backend="cpu", duration_ms=1).run()
    with pytest.raises(SpikeletError, match="is NeuroML; make a network of it by spikelet.load"):
        Simulation(paths[0])


def test_scripts_have_their_values(tmp_path):
    network = spikelet.catalogue("cuba", scale=0.02)
    for tool in ("brian2", "nest", "pynn"):
        script, values = spikelet.export(network, tool, tmp_path / tool)
        assert script.suffix == ".py" and len(np.load(values).files) > 3
        compile(script.read_text(), script.name, "exec")


def test_a_network_of_spikelet_is_loaded_as_it_is(tmp_path, cells):
    (tmp_path / "net.json").write_text(json.dumps(cells))
    assert spikelet.load(tmp_path / "net.json") == cells


def test_what_cannot_be_converted_is_named(tmp_path, cells):
    with pytest.raises(SpikeletError, match='there is no format "neuron"; there are brian2, nest'):
        spikelet.export(cells, "neuron", tmp_path)
    with pytest.raises(SpikeletError, match="NEST"):
        spikelet.export(cells, "nest", tmp_path)
    with pytest.raises(SpikeletError, match="cannot be read"):
        spikelet.load(tmp_path / "nothing.nml")
    (tmp_path / "empty.nml").write_text("<neuroml/>")
    with pytest.raises(SpikeletError, match=r"empty.nml"):
        spikelet.load(tmp_path / "empty.nml")
    (tmp_path / "file").write_text("")
    with pytest.raises(SpikeletError, match="cannot be written"):
        spikelet.export(spikelet.catalogue("cuba", scale=0.02), "nest", tmp_path / "file")


def test_models_of_neuroml_are_simulated():
    folder = Path(__file__).parents[3] / "tests" / "neuroml"
    network = spikelet.load(folder / "net.xml")
    simulation = Simulation(network, backend="cpu", precision="f64")
    simulation.run()
    assert len(simulation.spikes()) > 0
