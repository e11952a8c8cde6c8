"""Reads the results of a run in every format with the libraries of others, and compares them with those in NumPy's.

    pip install pynwb nwbinspector libsonata neo h5py numpy pyarrow pandas polars duckdb
    cargo build --release -p spikelet-cli
    python tests/results/check.py [target/release/spikelet]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import libsonata
import neo
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
from nwbinspector import inspect_nwbfile
from pynwb import NWBHDF5IO, validate

HERE = Path(__file__).parent


def run(program, folder, *words):
    out = Path(folder) / words[0]
    subprocess.run([program, "run", HERE / "network.json", "--backend", "cpu", "--format", *words, "--out", out, "--quiet"], check=True)
    return out


def trains(folder):
    """The spikes of each neuron in ms, and the names of the populations."""
    spikes = np.load(folder / "spikes.npz")
    names = list(spikes["population_names"])
    found = {}
    for population, neuron, time in zip(spikes["population"], spikes["neuron"], spikes["time_ms"]):
        found.setdefault((names[population], int(neuron)), []).append(float(time))
    return found


def check_tables(program, folder, spikes, traces):
    """Tables of Parquet in four libraries."""
    path = folder / "spikes.parquet"
    read = pq.read_table(path)
    assert [str(field.type) for field in read.schema] == ["uint32", "string", "uint32", "uint32", "double"], read.schema
    names = spikes["population_names"][spikes["population"]]
    frames = {
        "pyarrow": read.to_pandas(),
        "pandas": pd.read_parquet(path),
        "Polars": pl.read_parquet(path).to_pandas(),
        "DuckDB": duckdb.sql(f"select * from '{path}'").df(),
    }
    for library, frame in frames.items():
        assert np.array_equal(frame["population"].to_numpy(str), names), library
        for column in ("trial", "neuron", "step", "time_ms"):
            assert np.array_equal(frame[column].to_numpy(), spikes[column]), (library, column)
    said = {key.decode(): value.decode() for key, value in pq.read_metadata(path).metadata.items()}
    assert (said["network"], said["dt_ms"], json.loads(said["units"])) == ("results", "0.1", {"time_ms": "ms"}), said
    # Bounds of groups answer queries.
    bounds = pq.read_metadata(path).row_group(0).column(4).statistics
    assert (bounds.min, bounds.max) == (spikes["time_ms"].min(), spikes["time_ms"].max())
    late = duckdb.sql(f"select count(*) from '{path}' where time_ms >= 100 and population = 'E'").fetchall()[0][0]
    assert late == np.sum((spikes["time_ms"] >= 100) & (names == "E"))

    path = folder / "traces.parquet"
    for frame in pd.read_parquet(path), pl.read_parquet(path).to_pandas(), duckdb.sql(f"select * from '{path}'").df():
        assert list(frame.columns) == ["trial", "time_ms", *traces["channels"]]
        assert np.array_equal(frame["time_ms"].to_numpy(), traces["time_ms"])
        for at, name in enumerate(traces["channels"]):
            assert frame[name].dtype == np.float32 and np.array_equal(frame[name].to_numpy(), traces["values"][:, at], equal_nan=True), name
    # Between the times of a recording there is nothing, which is not NaN.
    assert pq.read_table(path)["mean(I.v) (mV)"].null_count == len(traces["time_ms"]) * 4 // 5

    path = folder / "edges"
    subprocess.run([program, "export", HERE / "network.json", "--format", "parquet", "--out", path], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "export", HERE / "network.json", "--format", "npz", "--out", path], check=True, stdout=subprocess.DEVNULL)
    tables = list(path.glob("*.parquet"))
    assert len(tables) == 1
    for table in tables:
        frame, arrays = pd.read_parquet(table), np.load(table.with_suffix(".npz"))
        assert list(frame.columns) == list(arrays.keys()) and len(frame) > 0
        assert all(np.array_equal(frame[name].to_numpy(), arrays[name]) for name in arrays)


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        arrays, traces = trains(run(program, folder, "npz")), np.load(Path(folder) / "npz" / "traces.npz")
        column = {str(name): at for at, name in enumerate(traces["channels"])}

        path = run(program, folder, "nwb", "--metadata", str(HERE / "metadata.json")) / "run.nwb"
        assert not validate(path=path), validate(path=path)
        said = [f"{message.importance.name}: {message.message}" for message in inspect_nwbfile(nwbfile_path=path)]
        assert not said, said
        with NWBHDF5IO(path, "r") as file:
            session = file.read()
            units = session.units.to_dataframe()
            for row in units.itertuples():
                assert np.allclose(np.array(row.spike_times) * 1000, arrays.get((row.population, row.neuron), []), atol=1e-9)
            assert sum(map(len, units.spike_times)) == sum(map(len, arrays.values()))
            v = session.acquisition["E.v"]
            assert np.array_equal(v.data[:, 1], traces["values"][:, column["E.v[5] (mV)"]]) and v.unit == "mV" and v.rate == 10000.0
            mean = session.acquisition["mean(I.v)"]
            assert mean.rate == 2000.0 and np.array_equal(mean.data[:], traces["values"][::5, column["mean(I.v) (mV)"]])

        # Neo 0.14.6 cannot read the keywords of any file.
        path = run(program, folder, "nwb") / "run.nwb"
        segment = neo.io.NWBIO(str(path), "r").read_all_blocks()[0].segments[0]
        assert sum(map(len, segment.spiketrains)) == sum(map(len, arrays.values()))
        assert [float(train.t_stop) for train in segment.spiketrains] == [0.2] * 60

        path = run(program, folder, "sonata")
        reader = libsonata.SpikeReader(str(path / "spikes.h5"))
        count = 0
        for name in reader.get_population_names():
            for neuron, time in reader[name].get():
                assert any(abs(time - of) < 1e-9 for of in arrays[(name, neuron)])
                count += 1
        assert count == sum(map(len, arrays.values()))
        report = libsonata.ElementReportReader(str(path / "trace.E.v.h5"))["E"]
        found = report.get()
        assert report.get_node_ids() == [0, 5, 7] and report.time_units == "ms" and report.data_units == "mV"
        assert np.array_equal(np.array(found.data)[:, 1], traces["values"][:, column["E.v[5] (mV)"]])

        check_tables(program, run(program, folder, "parquet"), np.load(Path(folder) / "npz" / "spikes.npz"), traces)
        print("all formats have the same spikes and traces")


main(*(sys.argv[1:] or ["target/release/spikelet"]))
