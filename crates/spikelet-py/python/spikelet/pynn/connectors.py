"""PyNN's connectors, and a random number generator."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyNN import connectors, random
from pyNN.connectors import *  # noqa: F403


class Columns:
    """PyNN 0.13 gives the column of a single neuron as an array without dimensions, which NumPy 2 has no indices of."""

    def _standard_connect(self, projection: Any, connection_map_generator: Any, distance_map: Any = None) -> None:
        def columns(*mask: Any) -> Any:
            for column in connection_map_generator(*mask):
                yield column if isinstance(column, bool) else np.atleast_1d(column)

        super()._standard_connect(projection, columns, distance_map)  # type: ignore[misc]


for _name, _class in list(vars(connectors).items()):
    if isinstance(_class, type) and issubclass(_class, connectors.MapConnector):
        globals()[_name] = type(_name, (Columns, _class), {"__doc__": _class.__doc__, "__module__": __name__})


class NativeRNG(random.NumpyRNG):
    """Random numbers of parameters and connections. Spikelet builds PyNN's networks from PyNN's numbers, so they are those of NumPy."""
