"""Runs that the page has been asked for."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from .._spikelet import SpikeletError
from ..results import Spikes

if TYPE_CHECKING:
    from ._widget import Widget

#: Time in s in which an output must show the widget.
PATIENCE_S = 30


class Run:
    """A run that the page has been asked for. ``await`` it, or look at ``done``."""

    def __init__(self, ms: float | None, speed: float | None, widget: Widget) -> None:
        self._id = uuid.uuid4().hex
        self._ms = ms
        self._speed = speed
        self._widget = widget
        self._result: dict[str, Any] | None = None
        self._error: str | None = None
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._lock = threading.Lock()

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._result is not None or self._error is not None

    def __await__(self) -> Generator[Any, None, Spikes]:
        return self._wait().__await__()

    async def _wait(self) -> Spikes:
        if not self.done:
            _check_await(self._widget)
            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()
            with self._lock:
                self._waiting.append((loop, future))
            try:
                await self._heard(future)
            except asyncio.CancelledError:
                self._widget.pause()
                self._end(None, "the run was interrupted")
                raise
        if self._error is not None:
            raise SpikeletError(self._error)
        return self._widget.spikes

    async def _heard(self, future: asyncio.Future[None]) -> None:
        """Waits for the end, but not for a page that nobody has opened."""
        if self.done:
            return
        if not self._widget._is_heard:
            await asyncio.wait([future], timeout=PATIENCE_S)
            if not self._widget._is_heard:
                return self._end(
                    None, "no output shows this widget, and it runs only there: show it in a cell, and run it in a later one"
                )
        await future

    def __repr__(self) -> str:
        if self._error is not None:
            return f"Run(failed: {self._error})"
        if self._result is not None:
            return f"Run({self._result['because']} at {self._result['time_ms']:g} ms)"
        return "Run(waiting for the page)"

    def _end(self, result: dict[str, Any] | None, error: str | None) -> None:
        with self._lock:
            if self.done:
                return
            self._result, self._error = result, error
            waiting, self._waiting = self._waiting, []
        for loop, future in waiting:
            # The answer comes in another thread if the page has a subshell of the kernel.
            loop.call_soon_threadsafe(lambda future=future: future.done() or future.set_result(None))


def is_marimo(widget: Widget) -> bool:
    """Whether the kernel is one of marimo."""
    return type(widget.comm).__module__.startswith("marimo")


def _check_await(widget: Widget) -> None:
    """Says why a kernel cannot await the page, instead of waiting forever."""
    if is_marimo(widget):
        raise SpikeletError(
            "marimo hears the page only between cells, so a cell cannot await it: call widget.run() without await, and read widget.spikes in a cell "
            "that uses the value of mo.ui.anywidget(widget); it runs again when the network has run"
        )
    try:
        import ipykernel
        from IPython import get_ipython
    except ImportError:
        return
    if get_ipython() is not None and int(ipykernel.__version__.split(".")[0]) < 7:
        raise SpikeletError(
            f"ipykernel {ipykernel.__version__} hears nothing of the page while a cell awaits: upgrade it (pip install -U 'ipykernel>=7'), "
            "or call widget.run() without await and read widget.spikes in a later cell"
        )
