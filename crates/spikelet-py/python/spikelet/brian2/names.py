"""Texts of Brian 2 as texts of Spikelet: the same language, with names resolved as Brian 2 resolves them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from brian2 import Quantity, TimedArray, get_dimensions, second
from brian2.core.functions import DEFAULT_CONSTANTS, DEFAULT_FUNCTIONS, Function
from brian2.core.namespace import DEFAULT_UNITS
from brian2.core.variables import Constant
from brian2.input.binomial import BinomialFunction
from brian2.units.fundamentalunits import DIMENSIONLESS

from .functions import custom, why_not
from .problems import Problems
from .units import declared, inner, inner_name, number, quantity, text

TOKEN = re.compile(r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)")
ASSIGNED = re.compile(r"^\s*([A-Za-z_]\w*)\s*([-+*/%]|\*\*|//)?=(?!=)")
KEYWORDS = {"and", "or", "not", "True", "False"}

# Names that mean something else in Spikelet, as far as Brian 2 leaves them to constants of the user.
TAKEN = {
    "min", "max", "sigmoid", "uniform", "normal", "lognormal", "exponential", "gamma", "binomial", "N_third", "i_third",
    "plasticity", "j", "i", "d", "N", "t", "dt", "lastspike", "not_refractory", "N_pre", "N_post", "N_incoming", "N_outgoing",
}  # fmt: skip
UNIT_LIKE = re.compile(
    r"(da|[yzafpnumcdhkMGT])?(volts?|V|seconds?|s|amp(ere)?s?|A|siemens?|S|farads?|F|ohms?|hertz|Hz|met(re|er)s?|m|gram(me|s)?|g|kelvin|K|mol(e|es)?|"
    r"M|molar|lit(er|re)|l|coulombs?|C|joules?|J|watts?|W|newtons?|N|pascals?|Pa|candela|cd|radians?|rad|steradians?|sr|tesla|henry|weber|"
    r"Wb|lumen|lm|lux|lx|becquerel|Bq|gray|Gy|sievert|Sv|katal|kat)[23]?"
)


def names_in(code: str) -> set[str]:
    """All names in a text."""
    code = re.sub(r"#.*", "", code)
    return {match["name"] for match in TOKEN.finditer(code) if match["name"] and match["name"] not in KEYWORDS}


def statements(code: str) -> list[str]:
    """The statements of a block, without comments."""
    lines = (re.sub(r"#.*", "", line).strip() for line in code.replace(";", "\n").splitlines())
    return [line for line in lines if line]


def assigned(code: str) -> set[str]:
    """The names that a block assigns or changes."""
    return {match[1] for line in statements(code) if (match := ASSIGNED.match(line))}


def is_safe(name: str) -> bool:
    """Whether a constant can keep its name in Spikelet."""
    return name not in TAKEN and (len(name) == 1 or not UNIT_LIKE.fullmatch(name))


class Scope:
    """The names of one group: its variables, then units and functions, then constants of its namespace and of the run."""

    def __init__(
        self,
        group: Any,
        namespace: Mapping[str, Any],
        problems: Problems,
        start: float,
        special: Mapping[str, str] | None = None,
    ) -> None:
        self.group = group
        self.namespace = namespace
        self.problems = problems
        # The time of Brian 2 at which the network starts, in seconds.
        self.start = start
        self.special = dict(special or {})
        #: Constants that the texts use: names in Spikelet, with values.
        self.constants: dict[str, Any] = {}
        self.timed: dict[str, TimedArray] = {}
        self.functions: dict[str, Function] = {}

    def resolve(self, name: str) -> Any:
        """What a name that is no variable of the group means; `None` if nothing."""
        try:
            return self.group._resolve_external(name, run_namespace=self.namespace, user_identifier=False)
        except KeyError:
            return None

    def text(self, code: str, place: str, *, own: set[str] | frozenset[str] = frozenset(), literal: bool = False) -> str:
        """A text of the group in Spikelet. `own` are its local names; with `literal`, constants are written as numbers."""
        code = "\n".join(re.sub(r"#.*", "", line).strip() for line in code.splitlines()).strip()

        def replaced(match: re.Match[str]) -> str:
            name = match["name"]
            if name is None or name in KEYWORDS or name in own:
                return match[0]
            return self.name(name, place, literal)

        return self.calls(TOKEN.sub(replaced, code))

    def name(self, name: str, place: str, literal: bool) -> str:
        """A name in Spikelet."""
        if name in self.special:
            return self.special[name]
        if name == "t":
            return f"(t + {text(Quantity(self.start, dim=second.dim))})" if self.start else "t"
        if name == "t_in_timesteps":
            return f"timestep({self.name('t', place, literal)}, dt)"
        if name in self.group.variables:
            if name == "lastupdate":
                self.problems.add(
                    self.group.name,
                    place,
                    "it reads `lastupdate`, which Spikelet does not keep",
                    "Store the time in a variable.",
                )
            return name
        if name == "xi" or name.startswith("xi_"):
            return name
        if name in DEFAULT_CONSTANTS:
            return number(np.e) if name == "e" else name
        found = self.resolve(name)
        if found is None:
            self.problems.add(
                self.group.name,
                place,
                f"nothing is called `{name}`",
                "Define it before the run, or add it to the namespace.",
            )
            return name
        if isinstance(found, Function):
            return self.function(name, found, place)
        value = found.get_value_with_unit() if isinstance(found, Constant) else found
        unit = DEFAULT_UNITS.get(name)
        if unit is not None and float(np.asarray(value)) == float(np.asarray(unit)) and get_dimensions(value) == unit.dim:
            return name
        if isinstance(value, (bool, np.bool_)) or np.asarray(value).dtype == bool:
            return "True" if value else "False"
        if np.ndim(value) == 0 and np.isinf(float(np.asarray(value))):
            # A parameter must be finite; in a text `inf` is a bound, or divides.
            dim = get_dimensions(value)
            unit = "" if dim.is_dimensionless else f"*({inner_name(dim) or declared(dim)})"
            return f"({'' if float(np.asarray(value)) > 0 else '-'}inf{unit})"
        if literal:
            return f"({text(value)})"
        safe = name if is_safe(name) else f"{name}_"
        while safe != name and safe in self.group.variables:
            safe += "_"
        self.constants[safe] = value
        return safe

    def function(self, name: str, found: Function, place: str) -> str:
        """The name of a function in Spikelet."""
        if isinstance(found, TimedArray):
            safe = name if is_safe(name) else f"{name}_"
            self.timed[safe] = found
            return safe
        if DEFAULT_FUNCTIONS.get(name) is found:
            return name
        if isinstance(found, BinomialFunction):
            self.functions[name] = found
            return name
        reason = why_not(found)
        if reason is not None:
            self.problems.add(
                self.group.name,
                place,
                f"the function `{name}` is Python code that cannot be written as one expression ({reason})",
                "Write it into the equations, or use a TimedArray if it depends on time alone.",
            )
        self.functions[name] = found
        return name

    def take(self, other: Scope) -> None:
        """Takes over what another scope of the same group has found."""
        self.constants |= other.constants
        self.timed |= other.timed
        self.functions |= other.functions

    def calls(self, code: str) -> str:
        """Calls of binomial functions, which have their arguments inside."""
        for name, found in self.functions.items():
            if isinstance(found, BinomialFunction):
                code = re.sub(rf"\b{re.escape(name)}\s*\(\s*\)", binomial(found), code)
        return code

    def custom_functions(self) -> dict[str, dict[str, Any]]:
        """Functions of the script that the texts call, as entries of `functions`."""
        return {
            name: custom(name, found)
            for name, found in self.functions.items()
            if not isinstance(found, BinomialFunction) and why_not(found) is None
        }

    def parameters(self) -> dict[str, Any]:
        """Constants and timed arrays as `parameters`."""
        values: dict[str, Any] = {name: quantity(value) for name, value in self.constants.items()}
        for name, array in self.timed.items():
            values[name] = timed(array)
        return values


def binomial(function: BinomialFunction) -> str:
    """The draw that a binomial function makes, whose arguments its code in Python has."""
    code = function.implementations._implementations["numpy"].get_code(None)
    names = dict(zip(code.__code__.co_freevars, (cell.cell_contents for cell in code.__closure__ or ()), strict=False))
    if "n" in names:
        return f"binomial({names['n']}, {number(names['p'])})"
    return f"({number(names['loc'])} + {number(names['scale'])}*randn())"


def timed(array: TimedArray) -> dict[str, Any]:
    """A timed array as a value."""
    named = inner_name(array.dim)
    values = inner(array.values, array.dim) if named else np.asarray(array.values, dtype=float)
    value: dict[str, Any] = {"timed": values.tolist(), "dt": f"{number(float(inner(array.dt, second.dim)))} ms"}
    if array.dim is not DIMENSIONLESS:
        value["unit"] = named or declared(array.dim)
    return value
