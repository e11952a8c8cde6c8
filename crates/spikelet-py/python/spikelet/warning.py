"""Warnings."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class SpikeletWarning(UserWarning):
    """Something that is valid, but probably not intended, or that a conversion leaves out."""


@contextmanager
def without_notices() -> Iterator[None]:
    """For scripts of other simulators, which are not asked whether their network is meant like this."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpikeletWarning)
        yield
