"""Networks of Brian 2 on the engine of Spikelet.

`from_brian2` converts a network that a script has built, with its actual synapses and values:

    import brian2
    from spikelet import from_brian2

    converted = from_brian2(network)
    simulation = converted.simulation(precision="f64")
    simulation.run(1000)

A script runs unchanged on the engine if it selects the device:

    import spikelet.brian2
    brian2.set_device("spikelet")
"""

from __future__ import annotations

try:
    import brian2  # noqa: F401
except ImportError as error:
    raise ImportError(f"spikelet.brian2 needs Brian 2 ({error}); install it by `pip install spikelet[brian2]`") from error

from .device import SpikeletDevice
from .network import BrianNetwork, from_brian2
from .problems import BrianNotice

__all__ = ["BrianNetwork", "BrianNotice", "SpikeletDevice", "from_brian2"]
