"""The device of a simulation, and its trials, as the extension reads them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._spikelet import SpikeletError

#: The folder in which drivers look for a desktop. They print warnings where it is not set.
DESKTOP = "XDG_RUNTIME_DIR"


@contextmanager
def quiet_drivers() -> Iterator[None]:
    """Without warnings of GPU drivers on machines without a desktop."""
    if sys.platform != "linux" or DESKTOP in os.environ:
        yield
        return
    os.environ[DESKTOP] = os.devnull
    try:
        yield
    finally:
        os.environ.pop(DESKTOP, None)


def device_request(
    backend: str, adapter: int | str | None, threads: int | None, precision: str, fast_math: bool
) -> dict[str, Any]:
    """What the extension reads of the device."""
    return {
        "backend": backend,
        "adapter": None if adapter is None else str(adapter),
        "threads": None if threads is None else whole_number(threads, "threads"),
        "precision": precision,
        "fast_math": bool(fast_math),
    }


def trial_range(trials: int | range) -> tuple[int, int]:
    """The numbers of trials: from, to."""
    if isinstance(trials, range):
        if trials.step != 1 or len(trials) == 0 or trials.start < 0:
            raise SpikeletError(f"trials is {trials!r}; a range of trials has step 1, and at least one trial, from 0 on")
        return trials.start, trials.stop
    count = whole_number(trials, "trials")
    if count == 0:
        raise SpikeletError("trials is 0; run at least one")
    return 0, count


def whole_number(value: int, name: str) -> int:
    """A number that counts something."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}; a whole number is expected") from None
    if not 0 <= number < 2**32:
        raise SpikeletError(f"{name} is {number}; it counts from 0")
    return number
