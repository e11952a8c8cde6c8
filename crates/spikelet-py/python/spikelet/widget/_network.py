"""Networks and arguments, as the page needs them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._spikelet import SpikeletError
from ..network import FileLike, NetworkLike, source
from ..simulation import Simulation


def network_of(network: NetworkLike | Simulation, files: Mapping[str, FileLike] | None) -> tuple[str, dict[str, bytes]]:
    """The name of a built-in network, or JSON; and the contents of all files that it names, because the page can read none."""
    if isinstance(network, Simulation):
        network = network.network
    if files is not None and not isinstance(files, Mapping):
        raise TypeError(f"files is {in_words(files)}; expected a dict from names to columns, bytes or paths")
    for name, content in (files or {}).items():
        if not isinstance(name, str):
            raise TypeError(f"files has the name {in_words(name)}; expected a text")
        if isinstance(content, Mapping) and Path(name).suffix.lower() != ".npz":
            raise SpikeletError(f"files[{name!r}] is a mapping of columns; its name, also in the network, must end with .npz")
    found = source(network, files)
    if isinstance(network, str) and not network.lstrip().startswith("{") and not found.folder:
        return network, found.files
    return found.text.lstrip(), found.files | _beside(found.text, found.folder, found.files)


def _beside(text: str, folder: str, given: Mapping[str, bytes]) -> dict[str, bytes]:
    """The contents of the files that a network names and that were not given."""
    try:
        network = json.loads(text)
    except json.JSONDecodeError as error:
        raise SpikeletError(f"the network is no valid JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    if not isinstance(network, dict):
        raise SpikeletError(f"the network is JSON, but a {type(network).__name__}; expected an object with populations")
    projections = network.get("projections")
    found = {}
    for projection in projections if isinstance(projections, list) else []:
        for key in ("pairs", "learned"):
            read = projection.get(key) if isinstance(projection, dict) else None
            name = read.get("file") if isinstance(read, dict) else None
            if not isinstance(name, str) or name in given or name in found:
                continue
            if not folder:
                raise SpikeletError(f"the network names the file {name!r}; give its content: files={{{name!r}: …}}")
            try:
                found[name] = (Path(folder) / name).read_bytes()
            except OSError as error:
                raise SpikeletError(
                    f"the network names the file {name!r}, which cannot be read ({error.strerror}); give its content in files"
                ) from error
    return found


def in_words(value: object) -> str:
    """A value within a sentence, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}… ({type(value).__name__})"


def number(name: str, value: object, *, least: float = 0.0, above: bool = True, whole: bool = False) -> Any:
    """A number, or an error that says what was expected; None stays None."""
    if value is None:
        return None
    what = f"a {'whole ' if whole else ''}number {'above' if above else 'of at least'} {least:g}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {in_words(value)}; expected {what}")
    plain = value.item() if isinstance(value, np.generic) else value
    is_in_range = math.isfinite(plain) and (plain > least or (not above and plain == least))
    if not is_in_range or (whole and plain != int(plain)):
        raise SpikeletError(f"{name} is {plain}; expected {what}")
    return int(plain) if whole else plain
