"""The widget of notebooks: a network that runs in the browser of whoever looks, with plots and sliders.

    import spikelet

    widget = spikelet.Widget("cuba", plots="raster rates", parameters=["E.taum"])
    widget                       # the last line of a cell shows it
    await widget.run(200)        # in another cell: 200 ms
    widget.spikes.times          # ms

Needs ``anywidget`` (``pip install spikelet[widget]``), in Jupyter, marimo and VS Code. docs/python-widget.md describes it.
"""

from ._run import Run
from ._widget import Widget

__all__ = ["Run", "Widget"]
