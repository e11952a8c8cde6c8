"""Networks, in any of the forms in which they are given."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from . import _spikelet
from ._spikelet import SpikeletError

#: A network: the name of one of the catalogue, a path, JSON, or a dict.
NetworkLike: TypeAlias = str | os.PathLike | Mapping[str, Any]
#: The content of a file that a network names: columns by their names, bytes, or the path of another file.
FileLike: TypeAlias = Mapping[str, Any] | bytes | str | os.PathLike


@dataclass
class Source:
    """A network as JSON, with the contents of files that it names, and the folder of all others."""

    text: str
    files: dict[str, bytes] = field(default_factory=dict)
    folder: str = ""


def networks() -> dict[str, str]:
    """Names and descriptions of the networks of the catalogue.

    >>> "cuba" in networks()
    True
    """
    return dict(_spikelet.catalogue_names())


def catalogue(name: str, scale: float = 1.0) -> dict[str, Any]:
    """A network of the catalogue as a dict, to be changed; ``scale`` multiplies its numbers of neurons.

    >>> network = catalogue("cuba", scale=0.5)
    >>> [population["size"] for population in network["populations"]]
    [1600, 400]

    Raises:
        SpikeletError: there is no such network, or it cannot have this size.
    """
    return json.loads(_spikelet.catalogue_network(name, float(scale)))


def models(kind: str | None = None) -> dict[str, str]:
    """Names and titles of the models of the library: all, or those of ``"neuron"``, ``"source"`` or ``"synapse"``.

    >>> "adex" in models("neuron"), "stdp" in models("synapse")
    (True, True)
    """
    found = _spikelet.library_models()
    if kind is not None and kind not in (kinds := sorted({of for _, of, _ in found})):
        raise SpikeletError(f"kind is {kind!r}; there are {', '.join(kinds)}")
    return {name: title for name, of, title in found if kind in (None, of)}


def model(name: str) -> dict[str, Any]:
    """A model of the library: its texts, parameters, initial values and presets.

    >>> adex = model("adex")
    >>> adex["threshold"], adex["parameters"]["a"]["about"]
    (...)
    """
    return json.loads(_spikelet.library_model(name))


def with_unit(value: float, unit: str | None) -> str:
    """A number as it is set: in a unit, if there is one."""
    number = value.item() if isinstance(value, np.generic) else value
    return repr(number) if unit in (None, "1", "") else f"{number!r} {unit}"


def given_text(path: str, value: str | float, unit: str | None) -> str:
    """A value as text: a number in the unit, if there is one."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and np.isfinite(value):
        return with_unit(value, unit)
    raise SpikeletError(f"a value of {path} is {value!r}; values are finite numbers, or texts such as '15 ms'")


def check(network: NetworkLike) -> list[str]:
    """All errors of a network, as sentences; none if it can be simulated. Files that it names are not read.

    >>> check({"name": "x", "dt_ms": 0.1, "duration_ms": 10, "populations": [{"name": "E", "size": 1, "equations": "dv/dt = -v/tau : 1"}]})
    ['populations[0]: equations, line 1, column 12: `tau` has no value...']
    """
    return _spikelet.check_network(source(network).text)


def source(network: NetworkLike, files: Mapping[str, FileLike] | None = None, **replaced: float | None) -> Source:
    """The network as text, with its files as bytes. Some of its numbers are ``replaced``, if they are given.

    Raises:
        SpikeletError: it is not a network, or a file cannot be read.
        TypeError: it is of another type.
    """
    found = _text(network)
    found.files = found.files | {name: _bytes(name, content) for name, content in (files or {}).items()}
    new = {key: value for key, value in replaced.items() if value is not None}
    if new:
        try:
            found.text = json.dumps(json.loads(found.text) | new, default=_plain, allow_nan=False)
        except ValueError as error:
            raise SpikeletError(f"{', '.join(new)} of the network cannot be replaced by {new}: {error}") from error
    return found


def _text(network: NetworkLike) -> Source:
    if isinstance(network, Source):
        return replace(network)
    if isinstance(network, Mapping):
        try:
            return Source(json.dumps(network, default=_plain, allow_nan=False))
        except ValueError as error:
            raise SpikeletError(f"the network has a number that JSON cannot contain ({error}); use finite numbers") from error
    if isinstance(network, str) and network.lstrip().startswith("{"):
        return Source(network)
    if not isinstance(network, (str, os.PathLike)):
        kind = type(network).__name__
        raise TypeError(f"a network is a name of the catalogue, a path, JSON or a dict, and not of type {kind}")
    path = Path(network)
    if isinstance(network, str) and not path.suffix and len(path.parts) == 1 and not path.exists():
        return Source(_spikelet.catalogue_network(network, 1.0))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SpikeletError(f"{path} cannot be read: {error.strerror}; check the path, or see spikelet.networks()") from error
    if (kind := _spikelet.format_of(path.name, content)) is not None:
        raise SpikeletError(f"{path} is {kind}; make a network of it by spikelet.load({str(path)!r})")
    try:
        return Source(content.decode("utf-8-sig"), folder=str(path.absolute().parent))
    except UnicodeDecodeError as error:
        raise SpikeletError(f"{path} is not text; a network is a JSON file in UTF-8") from error


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, as JSON has them."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a network cannot contain a value of type {type(value).__name__}: {value!r}")


def _bytes(name: str, content: FileLike) -> bytes:
    if isinstance(content, (bytes, bytearray, memoryview)):
        return bytes(content)
    if isinstance(content, (str, os.PathLike)):
        try:
            return Path(content).read_bytes()
        except OSError as error:
            raise SpikeletError(f"files[{name!r}] is {str(content)!r}, which cannot be read: {error.strerror}") from error
    if isinstance(content, Mapping):
        if not name.endswith(".npz"):
            raise SpikeletError(f"files[{name!r}] has columns of arrays, which are a file of NumPy; end its name in .npz")
        return _npz(name, content)
    raise TypeError(f"files[{name!r}] is of type {type(content).__name__}; give columns as a dict of arrays, bytes, or a path")


def _npz(name: str, columns: Mapping[str, Any]) -> bytes:
    """Columns as an archive of NumPy, which the simulator reads."""
    arrays = {column: np.asarray(values) for column, values in columns.items()}
    for column, values in arrays.items():
        if values.ndim != 1 or values.dtype.kind not in "biuf":
            raise SpikeletError(
                f"files[{name!r}][{column!r}] has shape {values.shape} and type {values.dtype}; each column is a one-dimensional array of numbers"
            )
        if values.dtype.kind == "b" or (values.dtype.itemsize == 2 and values.dtype.kind == "f"):
            arrays[column] = values.astype(np.float64)
    lengths = {column: len(values) for column, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise SpikeletError(f"the columns of files[{name!r}] differ in length: {lengths}; there is one value per synapse in each")
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()
