"""Imports each circuit, writes it again, and reads it with libsonata: nodes, edges, attributes, indices and spikes are those of the network.

    pip install libsonata numpy
    cargo build --release -p spikelet-cli
    python tests/sonata/check.py [target/release/spikelet]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import libsonata
import numpy as np

HERE = Path(__file__).parent


def check(program, circuit, folder):
    network, out = folder / "net.json", folder / circuit.name
    for words in ["import", circuit / "config.json", "--out", network], ["export", network, "--format", "sonata", "--out", out]:
        subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    config = libsonata.CircuitConfig.from_file(str(out / "circuit_config.json"))
    assert config.node_populations == {"cells", "inputs"}, config.node_populations
    simulation = json.loads((out / "config.json").read_text())
    assert simulation["run"] == {"tstop": 200.0, "dt": 0.1}

    first = libsonata.NodeStorage(str(circuit / "nodes.h5")).open_population("cells")
    nodes = libsonata.NodeStorage(str(out / "nodes.h5")).open_population("cells")
    assert (nodes.size, nodes.attribute_names) == (12, {"x"})
    everything = nodes.select_all()
    assert np.array_equal(nodes.get_attribute("x", everything), first.get_attribute("x", everything))
    own = nodes.get_dynamics_attribute("V_m", everything)
    assert np.array_equal(own, first.get_dynamics_attribute("V_m", everything))

    storage = libsonata.EdgeStorage(str(out / "edges.h5"))
    pairs = {}
    for name in storage.population_names:
        edges = storage.open_population(name)
        everything = edges.select_all()
        assert edges.target == "cells" and edges.source == name.split("_")[0]
        ends = list(zip(edges.source_nodes(everything), edges.target_nodes(everything)))
        assert edges.attribute_names <= {"syn_weight", "delay"}, edges.attribute_names
        # Delays of edges from outside are those of their type.
        delays = edges.get_attribute("delay", everything) if edges.source == "cells" else [None] * len(ends)
        pairs.setdefault(edges.source, []).extend((*end, delay) for end, delay in zip(ends, delays))
        for node in range(12):
            into = edges.afferent_edges([node]).flatten()
            assert sorted(into) == [edge for edge, (_, target) in enumerate(ends) if target == node]
        for node in sorted({source for source, _ in ends}):
            out_of = edges.efferent_edges([node]).flatten()
            assert sorted(out_of) == [edge for edge, (source, _) in enumerate(ends) if source == node]
    read = json.loads(network.read_text())
    # Spikes that are collected for the next step are a step earlier.
    early = 0.1 if "update" in read["populations"][0] else 0.0
    projections = [of for of in read["projections"] if of["pre"] == "cells"]
    given = [(*pair, delay + early) for of in projections for pair, delay in zip(of["pairs"], of["delay_ms"]["values"])]
    assert np.allclose(sorted(pairs["cells"]), sorted(given), atol=1e-12)

    # A spike is at the beginning of a step, and in SONATA at its end.
    spikes = sorted(libsonata.SpikeReader(str(out / "spikes.h5"))["inputs"].get())
    given = sorted(read["sources"][0]["spike_times_ms"])
    assert [node for node, _ in spikes] == [node for node, _ in given]
    assert np.allclose([time for _, time in spikes], [time + 0.1 for _, time in given], atol=1e-9)
    return nodes.size, sum(map(len, pairs.values())), len(spikes)


def main(program):
    for circuit in sorted(path for path in HERE.iterdir() if path.is_dir()):
        with tempfile.TemporaryDirectory() as folder:
            nodes, edges, spikes = check(program, circuit, Path(folder))
        print(f"{circuit.name}: {nodes} cells, {edges} edges and {spikes} spikes of inputs")


main(*(sys.argv[1:] or ["target/release/spikelet"]))
