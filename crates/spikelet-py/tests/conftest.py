"""What several tests use."""

import json
from typing import Any

import pytest

import spikelet

#: A neuron that fires regularly, one that hears it, and a plastic synapse.
CELLS = {
    "name": "two cells",
    "dt_ms": 0.1,
    "duration_ms": 100,
    "populations": [
        {
            "name": "driver",
            "size": 2,
            "equations": "dv/dt = (E_L - v)/tau : volt",
            "threshold": "v > -50*mV",
            "reset": "v = -65*mV",
            "parameters": {"E_L": "-45 mV", "tau": "20 ms"},
            "initial": {"v": "-65 mV"},
        },
        {"name": "listener", "size": 3, "model": "lif_exp", "parameters": {"El": "-60 mV"}},
    ],
    "projections": [
        {
            "name": "S",
            "pre": "driver",
            "post": "listener",
            "connect": {"rule": "all"},
            "equations": "w : volt\ndx/dt = -x/(10*ms) : 1 (event-driven)",
            "on_pre": "x += 1; ge_post += w*x; w += 0.1*mV",
            "initial": {"w": "2 mV"},
            "delay_ms": 1.5,
        }
    ],
    "recordings": [{"object": "listener", "var": "v", "indices": [0]}],
}


@pytest.fixture
def cells() -> dict[str, Any]:
    """The network of two populations, to be changed at will."""
    return json.loads(json.dumps(CELLS))


@pytest.fixture
def simulation(cells: dict[str, Any]) -> spikelet.Simulation:
    """The same on the CPU."""
    return spikelet.Simulation(cells, backend="cpu")
