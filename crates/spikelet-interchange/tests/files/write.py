"""Writes the files that tests/hdf5.rs reads: the layouts of groups, data and texts that h5py can write. Needs h5py."""

import h5py
import numpy as np


def fill(file):
    file.attrs["title"] = "layouts"
    file.attrs["rate"] = 2.5
    file.attrs["sizes"] = np.array([1, 2, 3], "int16")
    spikes = file.create_group("spikes")
    spikes.attrs["unit"] = "seconds"
    times = spikes.create_dataset("times", (3,), h5py.vlen_dtype(np.float16))
    units = spikes.create_dataset("units", (3,), h5py.vlen_dtype(np.uint16), chunks=(2,), compression="gzip")
    for row, (at, of) in enumerate([([0.5, 0.25, 1], [3, 699, 65535]), ([], []), ([1.375], [7])]):
        times[row], units[row] = at, of
    numbers = file.create_group("numbers")
    ramp = np.arange(60).reshape(12, 5)
    for name in ["int8", "uint16", "int64", ">i4", "float16", "float32", "float64", ">f8"]:
        numbers.create_dataset(name.replace(">", "big_"), data=ramp.astype(name))
    numbers.create_dataset("gzip", data=ramp.astype("float32"), chunks=(5, 2), compression="gzip")
    numbers.create_dataset("shuffle", data=ramp, chunks=(4, 5), compression="gzip", shuffle=True, fletcher32=True)
    numbers.create_dataset("lzf", data=ramp, chunks=(4, 5), compression="lzf")
    numbers.create_dataset("scalar", data=7.25)
    numbers.create_dataset("empty", data=np.zeros((0, 3)))
    numbers.create_dataset("flags", data=np.array([True, False]))
    texts = file.create_group("texts")
    texts.create_dataset("scalar", data="Grüße")
    texts.create_dataset("list", data=np.array(["a", "", "lif1.lif"], dtype=h5py.string_dtype()))
    texts.create_dataset("fixed", data=np.array([b"ab", b"cde"]))
    texts["fixed"].attrs["keys"] = ["x", "y"]
    deep = file.create_group("a.b/c/d")
    deep.create_dataset("e", data=np.int32(-4))


for name, version in [("layouts.h5", "earliest"), ("layouts_v114.h5", ("v114", "v114"))]:
    with h5py.File(name, "w", libver=version) as file:
        fill(file)
