"""Functions that a script defines in Python, as `functions` of a network, where their source is one expression."""

from __future__ import annotations

import ast
import inspect
import numbers
import textwrap
from typing import Any

import numpy as np
from brian2 import Quantity, get_dimensions
from brian2.core.functions import DEFAULT_FUNCTIONS, Function
from brian2.units.fundamentalunits import DIMENSIONLESS, Unit

from .units import declared, text

# Functions of NumPy by their names in the language.
KNOWN = {name: name for name in DEFAULT_FUNCTIONS if name not in ("rand", "randn", "poisson", "timestep")} | {
    "maximum": "max", "minimum": "min", "max": "max", "min": "min", "absolute": "abs", "fabs": "abs"
}  # fmt: skip


class Untranslatable(Exception):
    """Why a function is not one expression."""


def why_not(function: Function) -> str | None:
    """Why a function cannot be written as one expression; `None` if it can."""
    try:
        expression(function)
    except Untranslatable as reason:
        return str(reason)
    return None


def custom(name: str, function: Function) -> dict[str, Any]:
    """An entry of `functions`."""
    arguments, value = expression(function)
    units = [unit_of(unit) for unit in function._arg_units]
    result = function._return_unit
    return {"name": name, "arguments": dict(zip(arguments, units, strict=False)), "unit": unit_of(result), "value": value}


def unit_of(unit: Any) -> str:
    """A unit of `check_units` in Spikelet."""
    if isinstance(unit, (Unit, Quantity)):
        return declared(unit.dim)
    if isinstance(unit, numbers.Number) or unit is bool:
        return "1"
    raise Untranslatable(f"the unit {unit} of an argument is not fixed")


def expression(function: Function) -> tuple[list[str], str]:
    """The arguments and the only expression of a function."""
    python = function.pyfunc
    for part in ("_orig_func", "__wrapped__"):
        python = getattr(python, part, python)
    for unit in [*function._arg_units, function._return_unit]:
        unit_of(unit)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(python))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        raise Untranslatable("its source cannot be read") from None
    if not isinstance(tree, ast.FunctionDef):
        raise Untranslatable("it is no plain function")
    body = [line for line in tree.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        raise Untranslatable("it is more than one `return`")
    arguments = [argument.arg for argument in tree.args.args]
    closure = inspect.getclosurevars(python)
    known = {**closure.builtins, **closure.globals, **closure.nonlocals}
    return arguments, _written(body[0].value, arguments, known)


def _written(node: ast.expr, arguments: list[str], known: dict[str, Any]) -> str:
    again = lambda part: _written(part, arguments, known)  # noqa: E731
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return repr(node.value)
        case ast.Name(id=name) if name in arguments:
            return name
        case ast.Name(id=name) if isinstance(known.get(name), (numbers.Number, np.number, Quantity)):
            value = known[name]
            if np.ndim(value) == 0:
                return f"({text(value)})" if get_dimensions(value) is not DIMENSIONLESS else f"({float(value)!r})"
        case ast.UnaryOp(op=ast.USub()):
            return f"(-{again(node.operand)})"
        case ast.BinOp():
            signs = {
                ast.Add: "+",
                ast.Sub: "-",
                ast.Mult: "*",
                ast.Div: "/",
                ast.Pow: "**",
                ast.Mod: "%",
                ast.FloorDiv: "//",
            }
            if type(node.op) in signs:
                return f"({again(node.left)} {signs[type(node.op)]} {again(node.right)})"
        case ast.Compare(ops=[op]):
            signs = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
            if type(op) in signs:
                return f"({again(node.left)} {signs[type(op)]} {again(node.comparators[0])})"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name), keywords=[]) if (
            name in KNOWN
        ):
            return f"{KNOWN[name]}({', '.join(again(part) for part in node.args)})"
    raise Untranslatable(f"`{ast.unparse(node)}`")


__all__ = ["custom", "why_not"]
