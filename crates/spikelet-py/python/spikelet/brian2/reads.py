"""Which variables of neurons the pathways of a step read and add to.

Spikelet sums additions of all events of a step and applies them at its end; Brian 2 applies the additions of a pathway before the next pathway
runs. This differs only where a later pathway reads a variable to which an earlier one adds. There additions are written as assignments, which
Spikelet executes one after the other, too."""

from __future__ import annotations

import re
from typing import Any

from brian2 import Synapses
from brian2.synapses.synapses import SynapticPathway

from .names import names_in, statements
from .whole import whole

ADDED = re.compile(r"^\s*([A-Za-z_]\w*)\s*([-+])=\s*(.*)$", re.DOTALL)


def neuron_variable(synapses: Synapses, name: str) -> tuple[Any, str] | None:
    """The group and the variable that a name of the synapses means, if it is one of neurons."""
    if name in synapses.equations.names or name in ("i", "j"):
        return None
    own = {of.varname for of in (synapses.event_driven.values() if synapses.event_driven is not None else ())}
    if name in own:
        return None
    for suffix, group in (("_pre", synapses.source), ("_post", synapses.target), ("", synapses.target)):
        variable = name[: len(name) - len(suffix)]
        if name.endswith(suffix) and variable in (getattr(whole(group), "equations", None) or {}):
            return whole(group), variable
    return None


def with_dependencies(group: Any, name: str) -> set[str]:
    """A variable, and all that its subexpression reads."""
    found, pending = set(), [name]
    while pending:
        name = pending.pop()
        if name in found or name not in group.equations:
            continue
        found.add(name)
        if name in group.equations.subexpr_names:
            pending += group.equations[name].identifiers
    return found


def added(path: SynapticPathway, synapses: Synapses) -> set[tuple[str, str]]:
    """Variables of neurons to which a pathway adds."""
    found = set()
    for line in statements(path.code):
        if (match := ADDED.match(line)) and (variable := neuron_variable(synapses, match[1])):
            found.add((variable[0].name, variable[1]))
    return found


def read(path: SynapticPathway, synapses: Synapses, without: str = "") -> set[tuple[str, str]]:
    """Variables of neurons that a pathway reads or assigns, without those whose name has an ending."""
    found = set()
    for line in statements(path.code):
        match = ADDED.match(line)
        for name in names_in(match[3] if match else line):
            if without and name.endswith(without):
                continue
            if variable := neuron_variable(synapses, name):
                found |= {(variable[0].name, of) for of in with_dependencies(*variable)}
    return found


def serial(all_synapses: list[Synapses]) -> set[tuple[str, str]]:
    """Variables to which pathways add, and which they or a later pathway of the step read or assign: Brian 2 executes events one by one. What a
    pathway reads of the presynaptic neuron, Brian 2 has read before."""
    paths = sorted(
        ((path.order, path.name, path, of) for of in all_synapses for path in of._pathways if path.active),
        key=lambda of: of[:2],
    )
    found, before = set(), set()
    for _, _, path, of in paths:
        found |= before & read(path, of)
        found |= added(path, of) & read(path, of, without="_pre")
        before |= added(path, of)
    return found


def one_by_one(path: SynapticPathway, synapses: Synapses, variables: set[tuple[str, str]]) -> str:
    """The code of a pathway, with assignments in place of additions to some variables."""
    lines = []
    for line in statements(path.code):
        match = ADDED.match(line)
        variable = match and neuron_variable(synapses, match[1])
        if variable and (variable[0].name, variable[1]) in variables and not match[1].endswith("_pre"):
            line = f"{match[1]} = {match[1]} {match[2]} ({match[3]})"
        lines.append(line)
    return "\n".join(lines)
