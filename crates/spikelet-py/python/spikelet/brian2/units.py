"""Numbers and units of Brian 2 as those of Spikelet.

Spikelet computes in one coherent system (mV, ms, pA, nS, pF, GΩ, kHz, µm, amol, K). The size of one inner unit in SI is a power of ten for every
dimension, so a value is converted by one multiplication, which rounds once."""

from __future__ import annotations

import numpy as np
from brian2 import Quantity, get_dimensions
from brian2.units.fundamentalunits import Dimension

# Inner base units in SI, as powers of ten: µm, 1e-12 kg, ms, pA, K, amol, cd (the order of Brian 2's dimensions).
INNER_BASE = (-6, -12, -3, -12, 0, -18, 0)

BASE = ("metre", "kilogram", "second", "amp", "kelvin", "mole", "candela")

# Exponents of the base units, the unit in declarations, and the inner unit.
NAMED = {
    (2, 1, -3, -1, 0, 0, 0): ("volt", "mV"),
    (0, 0, 1, 0, 0, 0, 0): ("second", "ms"),
    (0, 0, 0, 1, 0, 0, 0): ("amp", "pA"),
    (-2, -1, 3, 2, 0, 0, 0): ("siemens", "nS"),
    (-2, -1, 4, 2, 0, 0, 0): ("farad", "pF"),
    (2, 1, -3, -2, 0, 0, 0): ("ohm", "Gohm"),
    (0, 0, -1, 0, 0, 0, 0): ("hertz", "kHz"),
    (1, 0, 0, 0, 0, 0, 0): ("metre", "um"),
    (0, 0, 0, 0, 1, 0, 0): ("kelvin", "kelvin"),
    (0, 0, 0, 0, 0, 1, 0): ("mole", "amol"),
    (2, 1, -4, -1, 0, 0, 0): ("volt/second", "mV/ms"),
    (0, 0, -1, 1, 0, 0, 0): ("amp/second", "pA/ms"),
    (-2, 0, 0, 1, 0, 0, 0): ("amp/metre**2", "pA/um**2"),
    (-4, -1, 3, 2, 0, 0, 0): ("siemens/metre**2", "nS/um**2"),
    (-4, -1, 4, 2, 0, 0, 0): ("farad/metre**2", "pF/um**2"),
    (2, 0, 0, 0, 0, 0, 0): ("metre**2", "um**2"),
}


def exponents(dim: Dimension) -> tuple[float, ...]:
    """Exponents of metre, kilogram, second, ampere, kelvin, mole and candela."""
    return tuple(float(exponent) for exponent in dim._dims)


def power(dim: Dimension) -> float:
    """The power of ten of one inner unit in SI."""
    return sum(base * exponent for base, exponent in zip(INNER_BASE, exponents(dim), strict=False))


def ten_to(exponent: float) -> float:
    """10 to a power, correctly rounded if the power is whole."""
    return float(f"1e{int(exponent)}") if exponent == int(exponent) else 10.0**exponent


def inner(values: np.ndarray | float, dim: Dimension) -> np.ndarray:
    """SI values in inner units. A product with a positive power of ten is exact in more cases than one with its inverse."""
    size = power(dim)
    values = np.asarray(values, dtype=float)
    return values * ten_to(-size) if size <= 0 else values / ten_to(size)


def si(values: np.ndarray | float, dim: Dimension) -> np.ndarray:
    """Values in inner units in SI."""
    size = power(dim)
    values = np.asarray(values, dtype=float)
    return values / ten_to(-size) if size <= 0 else values * ten_to(size)


def product(dim: Dimension) -> str:
    """A dimension as a product of base units."""
    parts = [
        name if exponent == 1 else f"{name}**{exponent:g}" if exponent >= 0 else f"{name}**({exponent:g})"
        for name, exponent in zip(BASE, exponents(dim), strict=False)
        if exponent
    ]
    return "*".join(parts) or "1"


def declared(dim: Dimension) -> str:
    """The unit of a declaration, after its colon."""
    named = NAMED.get(exponents(dim))
    return named[0] if named else product(dim).replace("(", "").replace(")", "")


def inner_name(dim: Dimension) -> str | None:
    """The inner unit, if it has a name."""
    named = NAMED.get(exponents(dim))
    return named[1] if named else None


def number(value: float) -> str:
    """A number as text, with all its digits."""
    value = float(value)
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return repr(value)


def text(value: float | Quantity) -> str:
    """A number with its unit, as a product: `-65.0*mV`."""
    dim = get_dimensions(value)
    plain = float(np.asarray(value))
    if dim.is_dimensionless:
        return number(plain)
    if plain in (float("inf"), float("-inf")):
        return number(plain)
    name = inner_name(dim)
    if name is not None:
        return f"{number(float(inner(plain, dim)))}*{name}"
    return f"{number(plain)}*{product(dim)}"


def quantity(value: float | Quantity) -> float | str:
    """A value of a network file: a number if it has no unit, else a text."""
    return float(np.asarray(value)) if get_dimensions(value).is_dimensionless else text(value)
