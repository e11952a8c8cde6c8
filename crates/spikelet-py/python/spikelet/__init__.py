"""Simulate spiking neural networks, on the CPU or a GPU, with the same spikes on every machine.

>>> import spikelet
>>> simulation = spikelet.Simulation("cuba", backend="cpu")
>>> simulation.run(100)
>>> spikes = simulation.spikes("E")
>>> len(spikes), spikes.neurons.dtype, float(spikes.times[0])
(..., dtype('uint32'), ...)

A network is the name of one of the catalogue (:func:`networks`), a file, JSON, or a dict in the format of ``docs/networks.md``:

>>> network = {
...     "name": "one cell", "dt_ms": 0.1, "duration_ms": 100,
...     "populations": [{"name": "E", "size": 1, "equations": "dv/dt = (E_L - v)/tau : volt", "threshold": "v > -50*mV",
...                      "reset": "v = -65*mV", "parameters": {"E_L": "-45 mV", "tau": "20 ms"}, "initial": {"v": "-65 mV"}}],
... }
>>> simulation = spikelet.Simulation(network, backend="cpu")
>>> simulation.run()
>>> len(simulation.spikes("E"))
3

Other modules are imported when they are needed: ``spikelet.brian2`` (networks of Brian 2), ``spikelet.pynn`` (a back end of PyNN), and
:class:`Widget`, for notebooks.
"""

from ._spikelet import SpikeletError, __version__
from .interchange import export, load
from .network import catalogue, check, model, models, networks
from .results import Spikes, Trace
from .simulation import Simulation, gpus
from .sweep import Sweep
from .training import Epoch, Evaluation, Samples, Training, train
from .warning import SpikeletWarning

__all__ = [
    "Epoch",
    "Evaluation",
    "Samples",
    "Simulation",
    "SpikeletError",
    "SpikeletWarning",
    "Spikes",
    "Sweep",
    "Trace",
    "Training",
    "Widget",
    "__version__",
    "catalogue",
    "check",
    "export",
    "from_brian2",
    "gpus",
    "load",
    "model",
    "models",
    "networks",
    "train",
]


def __getattr__(name: str):
    """Names of modules that need other packages, which are imported on first use."""
    if name == "from_brian2":
        from .brian2 import from_brian2

        return from_brian2
    if name == "Widget":
        from .widget import Widget

        return Widget
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
