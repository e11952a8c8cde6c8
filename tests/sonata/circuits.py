"""Writes a SONATA circuit for each model of NEST that is read, and the spikes that NEST has for it.

    pip install nest-simulator==3.10.0 h5py numpy
    python tests/sonata/circuits.py

Each folder beside this file is a circuit; `nest.json` has the spikes, `[step at whose end it is, node]`, of all of them.
"""

import json
import pathlib

import h5py
import nest
import numpy as np

HERE = pathlib.Path(__file__).parent
DT, STOP = 0.1, 200.0
CELLS, INPUTS = 12, 8

# Of each model: parameters of two types, the weight of an excitatory and of an inhibitory edge, and of one from outside.
MODELS = {
    "iaf_psc_alpha": ([{"tau_m": 20.0, "V_th": -57.0}, {"C_m": 150.0, "t_ref": 3.0, "tau_syn_in": 5.0}], 60.0, -70.0, 400.0),
    "iaf_psc_exp": ([{"tau_m": 20.0, "V_th": -57.0}, {"C_m": 150.0, "t_ref": 3.0, "tau_syn_in": 5.0}], 80.0, -90.0, 700.0),
    "iaf_psc_delta": ([{"tau_m": 20.0, "V_th": -57.0}, {"I_e": 200.0, "t_ref": 3.0}], 1.3, -1.1, 7.0),
    "iaf_cond_exp": ([{"V_th": -57.0}, {"C_m": 150.0, "t_ref": 3.0, "tau_syn_in": 5.0}], 20.0, -30.0, 90.0),
    "iaf_cond_alpha": ([{"V_th": -57.0}, {"C_m": 150.0, "t_ref": 3.0, "tau_syn_in": 5.0}], 12.0, -15.0, 60.0),
    "aeif_cond_exp": ([{"I_e": 600.0}, {"b": 20.0, "t_ref": 3.0, "I_e": 700.0}], 15.0, -20.0, 40.0),
    "aeif_cond_alpha": ([{"I_e": 600.0}, {"b": 20.0, "t_ref": 3.0, "I_e": 700.0}], 8.0, -10.0, 30.0),
    "izhikevich": ([{"I_e": 5.0}, {"a": 0.1, "d": 2.0, "I_e": 6.0}], 1.3, -1.1, 8.0),
}


def write(name, types, weights, random):
    """The files of a circuit, and what NEST needs of it."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    excitatory, inhibitory, outside = weights
    type_of = random.integers(0, 2, CELLS)
    (folder / "node_types.csv").write_text(
        "node_type_id model_type model_template dynamics_params ei\n"
        + "".join(f"{100 + k} point_neuron nest:{name} type_{k}.json {'ei'[k]}\n" for k in range(2))
        + "200 virtual NULL NULL NULL\n"
    )
    for k, values in enumerate(types):
        (folder / f"type_{k}.json").write_text(json.dumps(values) + "\n")
    potential = random.uniform(-69.0, -66.0, CELLS).round(2)
    with h5py.File(folder / "nodes.h5", "w") as file:
        for population, kinds in [("cells", 100 + type_of), ("inputs", np.full(INPUTS, 200))]:
            group = file.create_group(f"nodes/{population}")
            group["node_id"] = np.arange(len(kinds), dtype="u8")
            group["node_type_id"] = kinds.astype("u4")
            group["node_group_id"] = np.zeros(len(kinds), "u2")
            group["node_group_index"] = np.arange(len(kinds), dtype="u4")
            group.create_group("0")
        # One parameter of each node of its own.
        file["nodes/cells/0/dynamics_params/V_m"] = potential
        file["nodes/cells/0/x"] = random.uniform(0, 100, CELLS)

    pairs = [(i, j) for i in range(CELLS) for j in range(CELLS) if i != j and random.random() < 0.4]
    weight = np.array([excitatory if type_of[i] == 0 else inhibitory for i, _ in pairs])
    delay = random.integers(10, 30, len(pairs)) / 10
    fed = [(i, j) for i in range(INPUTS) for j in range(CELLS) if random.random() < 0.4]
    (folder / "edge_types.csv").write_text(
        "edge_type_id target_query source_query delay syn_weight model_template\n"
        f"1 * * NULL NULL static_synapse\n2 * population=='inputs' 1.5 {outside} static_synapse\n"
    )
    with h5py.File(folder / "edges.h5", "w") as file:
        for edges, kind, source in [(pairs, 1, "cells"), (fed, 2, "inputs")]:
            group = file.create_group(f"edges/{source}_to_cells")
            for column, end, population in [(0, "source", source), (1, "target", "cells")]:
                group[f"{end}_node_id"] = np.array([edge[column] for edge in edges], "u8")
                group[f"{end}_node_id"].attrs["node_population"] = population
            group["edge_type_id"] = np.full(len(edges), kind, "u4")
            # Edges have their attributes in the opposite order.
            group["edge_group_id"] = np.zeros(len(edges), "u2")
            group["edge_group_index"] = np.arange(len(edges), dtype="u4")[::-1].copy()
            group.create_group("0")
        group = file["edges/cells_to_cells/0"]
        group["syn_weight"], group["delay"] = weight[::-1], delay[::-1]

    spikes = sorted((float(time), int(node)) for node in range(INPUTS) for time in random.uniform(0.5, STOP, 12))
    # Each form of files of spikes.
    spikes_file = "spikes.csv" if name == "iaf_psc_delta" else "spikes.h5"
    if spikes_file == "spikes.csv":
        rows = "".join(f"{time} inputs {node}\n" for time, node in spikes)
        (folder / spikes_file).write_text("timestamps population node_ids\n" + rows)
    else:
        with h5py.File(folder / spikes_file, "w") as file:
            is_old = name == "iaf_psc_exp"
            group = file.create_group("spikes" if is_old else "spikes/inputs")
            group["gids" if is_old else "node_ids"] = np.array([node for _, node in spikes], "u8")
            group["timestamps"] = np.array([time for time, _ in spikes])
            group["timestamps"].attrs["units"] = "ms"
    config = {
        "manifest": {"$BASE": "${configdir}"},
        "networks": {
            "nodes": [{"nodes_file": "$BASE/nodes.h5", "node_types_file": "$BASE/node_types.csv"}],
            "edges": [{"edges_file": "$BASE/edges.h5", "edge_types_file": "$BASE/edge_types.csv"}],
        },
        "components": {"point_neuron_models_dir": "$BASE"},
        "run": {"tstop": STOP, "dt": DT},
        "node_sets_file": "$BASE/node_sets.json",
        "inputs": {
            "drive": {"input_type": "spikes", "module": "sonata", "input_file": f"$BASE/{spikes_file}", "node_set": "drive"}
        },
        "reports": {"v": {"cells": {"population": "cells", "node_id": [0, 5]}, "variable_name": "V_m", "module": "membrane_report"}},
        "target_simulator": "NEST",
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (folder / "node_sets.json").write_text(json.dumps({"drive": {"population": "inputs"}}) + "\n")
    return type_of, potential, pairs, weight, delay, fed, spikes


def simulate(name, types, outside, circuit):
    """The spikes of NEST."""
    type_of, potential, pairs, weight, delay, fed, spikes = circuit
    nest.ResetKernel()
    nest.resolution = DT
    cells, inputs = nest.Create(name, CELLS), nest.Create("spike_generator", INPUTS)
    for k in range(CELLS):
        cells[k].set(**types[type_of[k]])
        cells[k].set(V_m=potential[k])
    for k in range(INPUTS):
        inputs[k].set(spike_times=[time for time, node in spikes if node == k], allow_offgrid_times=True)

    def connect(source, edges, weights, delays):
        first, second = source[0].global_id, cells[0].global_id
        ends = [np.array([edge[end] + start for edge in edges]) for end, start in [(0, first), (1, second)]]
        nest.Connect(*ends, "one_to_one", {"synapse_model": "static_synapse", "weight": weights, "delay": delays})

    connect(cells, pairs, weight, delay)
    connect(inputs, fed, np.full(len(fed), outside), np.full(len(fed), 1.5))
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(STOP)
    events = recorder.get("events")
    found = zip((events["times"] / DT).round().astype(int), events["senders"] - cells[0].global_id)
    return sorted([int(step), int(node)] for step, node in found)


def main():
    nest.verbosity = nest.VerbosityLevel.ERROR
    found = {}
    for number, (name, (types, *weights)) in enumerate(MODELS.items()):
        circuit = write(name, types, weights, np.random.default_rng(number))
        found[name] = simulate(name, types, weights[2], circuit)
        print(name, len(found[name]))
    rows = ",\n".join(f'"{name}": {json.dumps(spikes)}' for name, spikes in found.items())
    (HERE / "nest.json").write_text("{\n" + rows + "\n}\n")


main()
