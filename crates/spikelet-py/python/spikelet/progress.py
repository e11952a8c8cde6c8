"""Progress of runs, on terminals and in notebooks."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: A function of the time that was reached and that of the end.
Progress = Callable[[float, float], None]


@contextmanager
def watching(progress: bool | Progress, start: float, end: float, unit: str = "ms") -> Iterator[Callable[[float], None] | None]:
    """A function that shows what was reached, if anything shall be shown."""
    if callable(progress):
        yield lambda reached: progress(reached, end)
        progress(end, end)
    elif progress:
        with _bar(start, end, unit) as show:
            yield show
    else:
        yield None


@contextmanager
def _bar(start: float, end: float, unit: str) -> Iterator[Callable[[float], None]]:
    """A bar of tqdm, which knows notebooks; a line where it is not installed."""
    try:
        # Without ipywidgets tqdm warns, and shows a line of text in notebooks, which is as good.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        yield lambda reached: print(f"\r{reached:.0f} of {end:.0f} {unit}", end="", file=sys.stderr, flush=True)
        print(f"\r{end:.0f} of {end:.0f} {unit}", file=sys.stderr)
        return
    with tqdm(total=end - start, unit=unit, bar_format="{l_bar}{bar}| {n:.0f}/{total:.0f} {unit} [{elapsed}<{remaining}]") as bar:
        yield lambda reached: bar.update(reached - start - bar.n)
        bar.update(end - start - bar.n)
