"""Writes files of HDF5 with links of every kind: `links_old.h5` with groups of the older form, `links_new.h5` of the newer one, `links_many.h5` with more links than are read.

    pip install h5py numpy
    python links.py
"""

import pathlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent

for name, versions, count in [("old", ("earliest", "latest"), 0), ("new", "latest", 20), ("many", "latest", 60)]:
    with h5py.File(HERE / f"links_{name}.h5", "w", libver=versions) as file:
        file["real/x"] = np.arange(3.0)
        file["real/deep/y"] = np.arange(4.0)
        linked = file.create_group("linked")
        for number in range(count):
            linked[f"d{number:02}"] = h5py.SoftLink("/real/x")
        linked["x"] = h5py.SoftLink("/real/x")
        linked["group"] = h5py.SoftLink("near")
        linked["near"] = h5py.SoftLink("/real/deep")
        file["loop"] = h5py.SoftLink("/loop")
        file.create_group("outside")["data"] = h5py.ExternalLink("other.h5", "/v")
        file.create_group("dangling")["none"] = h5py.SoftLink("/nowhere")
        layout = h5py.VirtualLayout(shape=(3,), dtype="f8")
        layout[:] = h5py.VirtualSource("other.h5", "v", shape=(3,))
        file.create_group("virtual").create_virtual_dataset("data", layout)
