"""Statements at regular times, values that are constant over a step, and copies of values for monitors: all are regular statements of a network.

A network has regular statements at the start of a step only. Those that Brian 2 runs at the end of a step come first in the next one. After the
last step of a run Brian 2 executes them itself (`late.py`); the simulation leaves them out if it is then given the values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import Quantity, second
from brian2.groups.group import CodeRunner
from brian2.groups.neurongroup import SubexpressionUpdater
from brian2.groups.subgroup import Subgroup

from .names import Scope, assigned, statements
from .units import declared, text
from .whole import unproxied

if TYPE_CHECKING:
    from .convert import Conversion

# Slots in which statements at regular times see the state at the start of a step, and those that see it at its end.
EARLY = ("before_start", "start", "after_start", "before_groups")
LATE = ("after_resets", "before_end", "end", "after_end")
ORDER = {slot: index for index, slot in enumerate((*LATE, *EARLY))}

#: A parameter of groups with late statements: the step in which the simulation leaves them out.
DONE_BEFORE = "done_before_step"
ASSIGNMENT = re.compile(r"^\s*([A-Za-z_]\w*)\s*([-+*/%]|\*\*|//)?=(?!=)\s*(.*)$", re.DOTALL)

Key = tuple[int, int, str]


@dataclass
class Copy:
    """A variable that keeps what another one, or a subexpression, is in a slot of the step."""

    key: Key
    name: str
    of: str
    dim: Any
    kind: str


def is_regular(of: Any) -> bool:
    """Whether this is a `run_regularly`, or what computes values that are constant over a step."""
    return type(of) in (CodeRunner, SubexpressionUpdater)


def key_of(of: Any) -> Key:
    """The place of an object among those of the end of a step and of the start of the next one."""
    return ORDER.get(of.when, 0), of.order, of.name


def regular(to: Conversion, owner: Any, scope: Scope, described: dict[str, Any]) -> None:
    """Adds the statements of an object to its population or projection, in the order in which Brian 2 runs them."""
    found: list[tuple[Key, dict[str, Any]]] = []
    lines = []
    for runner in to.runners.get(owner.name, []):
        place = f"`run_regularly` (`{runner.name}`)"
        if not runner.active:
            continue
        if runner.when not in ORDER:
            to.problems.add(
                owner.name,
                place,
                f"statements in the slot `{runner.when}` cannot be run",
                "Use `when='start'` or `when='end'`.",
            )
            continue
        code, names, mask = runner.abstract_code or "", dict(scope.special), []
        if isinstance(part := unproxied(runner.group), Subgroup):
            mask.append(f"_i >= {part.start} and _i < {part.stop}")
            names |= {"i": f"(i - {part.start})", "_i": "i", "N": str(len(part))}
        is_late = runner.when in LATE
        if is_late:
            names |= of_step_before(to, owner, scope)
            if to.keep_lists:
                mask.append("_is_due")
                names["_is_due"] = f"timestep(t, dt) != {DONE_BEFORE}"
        if mask:
            code = masked(code, " and ".join(mask), runner.group.variables)
        translated = to.scope(owner, names)
        every = to.steps_of(runner.clock, owner.name, place)
        # The next time of the clock; the end of a step is the start of the next one.
        first = -to.start_step % every + is_late
        entry: dict[str, Any] = {"statements": translated.text(code, place, own=assigned(code) - set(owner.variables))}
        scope.take(translated)
        if every > 1:
            entry["every_ms"] = to.time_ms(every)
        if first:
            entry["start_ms"] = to.time_ms(first)
        found.append((key_of(runner), entry))
        if is_late and to.keep_lists and not lines:
            lines.append(f"{DONE_BEFORE} : 1")
            described.setdefault("parameters", {})[DONE_BEFORE] = -1.0
    for copy in to.copies.get(owner.name, {}).values():
        names = dict(scope.special) | (of_step_before(to, owner, scope) if copy.key[0] < len(LATE) else {})
        translated = to.scope(owner, names)
        code = f"{copy.name} = {copy.of}"
        entry = {"statements": translated.text(code, f"a monitor of `{copy.of}`", own={copy.name})}
        scope.take(translated)
        found.append((copy.key, entry))
        lines.append(f"{copy.name} : {copy.kind or declared(copy.dim)}")
    if found:
        described["run_regularly"] = [entry for _, entry in sorted(found, key=lambda of: of[0])]
        described["equations"] = "\n".join([*described.get("equations", "").splitlines(), *lines])


def time_before(to: Conversion) -> str:
    """The time of the step before, as statements of its end read it at the start of the next one."""
    start = f" + {text(Quantity(to.start_step * to.dt, dim=second.dim))}" if to.start_step else ""
    return f"(t - dt{start})"


def of_step_before(to: Conversion, owner: Any, scope: Scope) -> dict[str, str]:
    """Names that depend on the time, as statements of the end of a step read them at the start of the next one."""
    names, equations = {"t": time_before(to)}, getattr(owner, "equations", None)
    if equations is None:
        return names
    dated = to.scope(owner, scope.special | names)
    for name, right in equations.get_substituted_expressions(include_subexpressions=True):
        if name in equations.subexpr_names and "t" in right.identifiers:
            names[name] = f"({dated.text(right.code, f'the equation of `{name}`')})"
    scope.take(dated)
    return names


def masked(code: str, mask: str, variables: Any) -> str:
    """Statements that change variables only where a condition holds."""
    lines = []
    for line in statements(code):
        match = ASSIGNMENT.match(line)
        if match is None or match[1] not in variables:
            lines.append(line)
            continue
        name, sign, right = match[1], match[2], match[3]
        if variables[name].is_boolean:
            lines.append(f"{name} = (({mask}) and ({right})) or (not ({mask}) and {name})")
        elif sign in ("+", "-"):
            lines.append(f"{name} {sign}= int({mask})*({right})")
        else:
            right = f"{name} {sign} ({right})" if sign else right
            # Both factors are 0 or 1, so that nothing is rounded.
            lines.append(f"{name} = int({mask})*({right}) + int(not ({mask}))*{name}")
    return "\n".join(lines)


def kind_of(variable: Any) -> str:
    """How a copy of a variable is declared, if not by its unit."""
    kind = np.dtype(variable.dtype).kind
    return "boolean" if kind == "b" else "integer" if kind in "iu" else ""
