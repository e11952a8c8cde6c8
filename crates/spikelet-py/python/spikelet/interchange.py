"""Networks of other tools, and for other tools."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import _spikelet
from ._spikelet import SpikeletError
from .network import FileLike, NetworkLike, source
from .warning import SpikeletWarning


def load(path: str | os.PathLike, *, dt_ms: float | None = None, root: str | os.PathLike | None = None) -> dict[str, Any]:
    """The network of a file of NeuroML or LEMS, of a circuit of SONATA, of a graph of NIR, or of Spikelet itself.

    Args:
        path: the file.
        dt_ms: the step of a graph of NIR, in which time is continuous.
        root: the folder that holds all files of the model; by default the nearest one above the file with ``.git``, else the
            working directory if it holds the file, else the folder of the file.

    What differs from the file is a :class:`SpikeletWarning`.

    Raises:
        SpikeletError: the file cannot be read, or has what Spikelet lacks.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SpikeletError(f"{path} cannot be read: {error.strerror}; check the path") from error
    if _spikelet.format_of(path.name, content) is None:
        return json.loads(source(path).text)
    text, notices = _spikelet.import_network(path, root, content, path.stem, dt_ms)
    for notice in notices:
        warnings.warn(notice, SpikeletWarning, stacklevel=2)
    return json.loads(text)


def export(
    network: NetworkLike, tool: str, folder: str | os.PathLike, *, files: Mapping[str, FileLike] | None = None
) -> list[Path]:
    """Writes a network for another tool: ``"brian2"``, ``"nest"``, ``"pynn"``, ``"neuroml"``, ``"sonata"`` or ``"nir"``.

    Gives the paths of the files; the first one is the script, or the file that names the others. What they leave out is a
    :class:`SpikeletWarning` (``docs/other-simulators.md``).

    Raises:
        SpikeletError: the network has what the tool lacks, or a file cannot be written.
    """
    found = source(network, files)
    written, notices = _spikelet.export_network(found.text, found.files, found.folder, tool)
    for notice in notices:
        warnings.warn(notice, SpikeletWarning, stacklevel=2)
    paths = [Path(folder) / name for name, _ in written]
    try:
        for path, (_, content) in zip(paths, written, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise SpikeletError(f"{error.filename} cannot be written: {error.strerror}; choose another folder") from error
    return paths
