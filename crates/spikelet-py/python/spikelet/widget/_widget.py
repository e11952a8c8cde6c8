"""The widget itself: traits that the page follows, and messages."""

from __future__ import annotations

import math
import re
import uuid
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from .._spikelet import SpikeletError
from ..network import FileLike, NetworkLike
from ..results import Spikes
from ..simulation import Simulation
from ._network import in_words, network_of, number
from ._run import Run, is_marimo
from ._spikes import SpikeStore

if find_spec("anywidget") is None:
    raise ImportError("spikelet.Widget needs the package anywidget: pip install anywidget")

import anywidget
import traitlets

STATIC = Path(__file__).parent / "static"

#: Size of a part of the engine or of a file. A Jupyter server drops messages of kernels that send more than a megabyte per second.
PART = 400_000

#: The path of a parameter, such as E.taum.
PATH = re.compile(r"^[^\s.,]+\.[^\s,]+$")

BACKENDS = ("auto", "cpu", "gpu")


@cache
def _static(name: str) -> bytes:
    try:
        return (STATIC / name).read_bytes()
    except FileNotFoundError as error:
        raise ImportError(
            f"{STATIC / name} is missing: this package was installed without the widget; from a clone, run node crates/spikelet-py/widget.mjs"
        ) from error


class Values(dict):
    """The values of a widget: setting one sets it in the page, too."""

    def __init__(self, values: Mapping[str, Any], widget: Widget) -> None:
        super().__init__(values)
        self._widget = widget

    def __setitem__(self, path: str, value: float | str) -> None:
        self._widget.values = {**self, path: value}

    def update(self, *values: Any, **more: Any) -> None:
        self._widget.values = {**self, **dict(*values, **more)}


class Widget(anywidget.AnyWidget):
    """A network in an output of a notebook. It runs in the browser, on the GPU of whoever looks, or on one CPU thread.

    ``network``     the name of a built-in network, a path of a JSON file, JSON text, a dict, or a ``Simulation``
    ``files``       ``{name: mapping of columns, bytes or path}`` of files that the network names
    ``plots``       the plots from top to bottom, as text or list: ``"raster rates E.v[0:3]"`` (docs/element.md)
    ``parameters``  parameters with sliders: ``["E.taum", "EE.we"]``
    ``values``      first values: ``{"E.taum": 15}`` in the unit of the parameter, or ``"15 ms"``
    ``height``      of all plots together, in pixels
    ``backend``     ``"auto"``, ``"gpu"`` or ``"cpu"``
    ``seed``        of connectivity, initial values and noise; by default that of the network
    ``scale``       size of a built-in network relative to the published one
    ``speed``       biological time per wall time of the play button; ``None`` is as fast as possible
    ``duration_ms`` time in ms at which the play button stops
    ``window_ms``   time span of the plots in ms
    ``autoplay``    whether it plays as soon as it is seen
    ``max_spikes``  the most spikes of a run that Python gets

    ``spikes``, ``values``, ``status``, ``time_ms``, ``error`` and ``info`` follow the page. Wrong arguments raise a
    ``TypeError`` or ``SpikeletError`` at once; what only the page can find is in ``error``, and in the output.
    """

    # Without the built widget an instance says what is missing.
    _esm = STATIC / "widget.js" if (STATIC / "widget.js").exists() else "export default {}"

    _id = traitlets.Unicode().tag(sync=True)
    _network = traitlets.Unicode().tag(sync=True)
    _files = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _updates = traitlets.Bool(False).tag(sync=True)
    plots = traitlets.Any().tag(sync=True)
    parameters = traitlets.Any().tag(sync=True)
    values = traitlets.Any().tag(sync=True)
    height = traitlets.Any(None).tag(sync=True)
    backend = traitlets.Any("auto").tag(sync=True)
    seed = traitlets.Any(None).tag(sync=True)
    scale = traitlets.Any(None).tag(sync=True)
    speed = traitlets.Any(1.0).tag(sync=True, to_json=lambda speed, _: 0 if speed is None else speed)
    duration_ms = traitlets.Any(None).tag(sync=True)
    window_ms = traitlets.Any(None).tag(sync=True)
    autoplay = traitlets.Bool(False).tag(sync=True)
    max_spikes = traitlets.Any(20_000_000).tag(sync=True)

    #: "waiting" until an output shows it, then as the element: idle, building, paused, running, ended, failed.
    status = traitlets.Unicode("waiting").tag(sync=True)
    #: Biological time at the last change of the status, in ms.
    time_ms = traitlets.Float(0.0).tag(sync=True)
    #: What is wrong, as in the output; None if nothing is.
    error = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        network: NetworkLike | Simulation,
        *,
        files: Mapping[str, FileLike] | None = None,
        plots: str | Iterable[str] = "raster rates",
        parameters: str | Iterable[str] = (),
        values: Mapping[str, float | str] | None = None,
        height: float | None = None,
        backend: str = "auto",
        seed: int | None = None,
        scale: float | None = None,
        speed: float | None = 1.0,
        duration_ms: float | None = None,
        window_ms: float | None = None,
        autoplay: bool = False,
        max_spikes: int = 20_000_000,
    ) -> None:
        text, self._contents = network_of(network, files)
        if not isinstance(autoplay, bool):
            raise TypeError(f"autoplay is {in_words(autoplay)}; expected True or False")
        if scale is not None and text.startswith("{"):
            raise SpikeletError(f"scale is {in_words(scale)}, but the network is not a built-in one; set its sizes instead")
        self._store = SpikeStore()
        self._runs: dict[str, Run] = {}
        self._shown: dict[str, Any] = {}
        self._is_heard = False
        _static("engine.wasm.gz")
        checked = dict(
            plots=plots, parameters=parameters, values=values or {}, height=height, backend=backend, seed=seed, scale=scale,
            speed=speed, duration_ms=duration_ms, window_ms=window_ms, max_spikes=max_spikes,
        )  # fmt: skip
        if values is not None and not isinstance(values, Mapping):
            raise TypeError(f"values is {in_words(values)}; expected a dict such as {{'E.taum': '15 ms'}}")
        checked = {name: _check(name, value) for name, value in checked.items()}
        super().__init__(_id=uuid.uuid4().hex, _network=text, _files=list(self._contents), autoplay=autoplay, **checked)
        self._updates = is_marimo(self)
        self.on_msg(Widget._receive)

    @traitlets.validate(
        "plots", "parameters", "height", "backend", "seed", "scale", "speed", "duration_ms", "window_ms", "max_spikes"
    )
    def _validate(self, proposal: traitlets.Bunch) -> Any:
        return _check(proposal.trait.name, proposal.value)

    @traitlets.validate("values")
    def _validate_values(self, proposal: traitlets.Bunch) -> Values:
        return Values(_check("values", proposal.value), self)

    @property
    def spikes(self) -> Spikes:
        """The spikes of trial 0 since the start of the run, complete until its ``end_ms``; neurons are numbered over all populations."""
        return self._store.spikes(None)

    def spikes_of(self, population: str) -> Spikes:
        """The spikes of a population; neurons are numbered in it."""
        return self._store.spikes(population)

    @property
    def info(self) -> dict[str, Any]:
        """What the page says about the network; empty before it is built there.

        Its keys are ``name``, ``neurons``, ``synapses``, ``dt_ms``, ``duration_ms``, ``seed``, ``backend``, ``populations`` and ``parameters``.
        """
        return dict(self._shown)

    def set(self, path: str, value: float | str) -> None:
        """Sets a parameter, also during a run: a number in its unit, or a quantity such as ``"15 ms"``."""
        self.values = {**self.values, path: value}

    def run(self, duration_ms: float | None = None, *, speed: float | None = None) -> Run:
        """Runs the network in the page, as fast as possible or with a largest ``speed`` (1 is real time).

        ``duration_ms`` is a multiple of the time step; without it the rest of the network's own duration. The run begins at once, or when an
        output shows the widget. ``await`` it for the spikes. It ends before its time if the user pauses it.
        """
        run = Run(number("duration_ms", duration_ms), number("speed", speed), self)
        if any(not other.done for other in self._runs.values()):
            raise SpikeletError("the network already runs for Python; await that run first, or call pause()")
        self._runs = {run._id: run}
        self._ask(run)
        return run

    def play(self) -> None:
        """Presses the play button."""
        self.send({"do": "play"})

    def pause(self) -> None:
        """Pauses the run."""
        self.send({"do": "pause"})

    def reset(self) -> None:
        """Returns to the start and pauses; parameters keep their values."""
        self.send({"do": "reset"})

    def close(self) -> None:
        # Widgets that were refused are closed, too, when they are collected.
        for run in getattr(self, "_runs", {}).values():
            if not run.done:
                run._end(None, "the widget was closed during the run")
        super().close()

    def __repr__(self) -> str:
        name = self._network if not self._network.startswith("{") else self._shown.get("name", "a network")
        return f"spikelet.Widget of {name}, {self.status}. To see it, run the cell in a notebook."

    def _ask(self, run: Run) -> None:
        self.send({"do": "run", "id": run._id, "ms": run._ms, "speed": run._speed, "page": self._store.page})

    def _receive(self, message: Any, buffers: list[Any]) -> None:
        if not isinstance(message, dict):
            return
        self._is_heard = True
        if "ask" in message:
            self._send_part(message["ask"], message["part"])
        elif message.get("say") == "spikes":
            self._store.receive(message, buffers)
            self.send({"got": message["number"], "page": message["page"]})
        elif message.get("say") == "traits":
            self._adopt(message["traits"])
        elif message.get("say") == "hello":
            self._shown = message["info"]
            self._store.page = message["page"]
            self._store.dt_ms, self._store.size = self._shown["dt_ms"], self._shown["neurons"]
            self._store.populations = {one["name"]: (one["first"], one["size"]) for one in self._shown["populations"]}
            for run in self._runs.values():
                if not run.done:
                    self._ask(run)
        elif message.get("say") in ("ran", "refused") and message.get("id") in self._runs:
            run = self._runs[message["id"]]
            if message["say"] == "ran":
                self._adopt({"status": message["status"], "time_ms": message["time_ms"]})
                run._end(message, None)
            else:
                run._end(None, message["message"])

    def _adopt(self, traits: dict[str, Any]) -> None:
        """Sets traits to what the page has, without sending them back: the page may have moved on."""
        known = {name: traits[name] for name in ("values", "status", "time_ms", "error") if name in traits}
        with self._lock_property(**known):
            for name, value in known.items():
                setattr(self, name, value)

    def _send_part(self, name: str, part: int) -> None:
        content = _static("engine.wasm.gz") if name == "engine" else self._contents.get(name.removeprefix("file:"))
        if content is None:
            return
        of = max(1, math.ceil(len(content) / PART))
        self.send({"name": name, "part": part, "of": of}, [content[part * PART : (part + 1) * PART]])


def _check(name: str, value: Any) -> Any:
    """The value of an argument or trait in the form for the page, or an error with a sentence."""
    if name == "plots":
        return " ".join(_words(name, value, "a text such as 'raster rates'"))
    if name == "parameters":
        paths = [word for text in _words(name, value, "a list such as ['E.taum']") for word in re.split(r"[\s,]+", text) if word]
        for path in paths:
            if not PATH.match(path):
                raise SpikeletError(f"parameters has {in_words(path)}; expected a path such as 'E.taum'")
        return paths
    if name == "values":
        return _values(value)
    if name == "backend":
        if not isinstance(value, str):
            raise TypeError(f"backend is {in_words(value)}; expected one of {', '.join(BACKENDS)}")
        if value not in BACKENDS:
            raise SpikeletError(f"backend is {in_words(value)}; expected one of {', '.join(BACKENDS)}")
        return value
    if name == "seed":
        return number(name, value, least=0, above=False, whole=True)
    if name == "max_spikes":
        return number(name, value, whole=True)
    return number(name, value)


def _words(name: str, value: Any, expected: str) -> list[str]:
    words = (
        [value]
        if isinstance(value, str)
        else list(value)
        if isinstance(value, Iterable) and not isinstance(value, (Mapping, bytes))
        else None
    )
    if words is None or not all(isinstance(word, str) for word in words):
        raise TypeError(f"{name} is {in_words(value)}; expected {expected}")
    return words


def _values(values: Any) -> dict[str, float | str]:
    if not isinstance(values, Mapping):
        raise TypeError(f"values is {in_words(values)}; expected a dict such as {{'E.taum': '15 ms'}}")
    checked: dict[str, float | str] = {}
    for path, value in values.items():
        if not isinstance(path, str) or not PATH.match(path):
            raise SpikeletError(f"values has the path {in_words(path)}; expected one such as 'E.taum'")
        if isinstance(value, str):
            checked[path] = value
        elif isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise TypeError(f"values[{path!r}] is {in_words(value)}; expected a number, or a quantity such as '15 ms'")
        elif not math.isfinite(value):
            raise SpikeletError(f"values[{path!r}] is {value}; expected a finite number")
        else:
            checked[path] = float(value)
    return checked
