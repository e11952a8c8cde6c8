"""Synapses of Brian 2 as projections, with the edges, delays and values that they have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import NeuronGroup, Synapses
from brian2.equations.equations import DIFFERENTIAL_EQUATION, PARAMETER, SUBEXPRESSION, Equations, SingleEquation
from brian2.synapses.synapses import SynapticPathway

from .event_driven import brought_to
from .groups import equation_line, method
from .names import Scope, assigned, names_in
from .reads import one_by_one, serial
from .refractory import special_names
from .regular import is_regular, regular
from .units import declared, inner
from .whole import whole

if TYPE_CHECKING:
    from .convert import Conversion


def equations_of(synapses: Synapses) -> list[SingleEquation]:
    """All equations of the user except summed ones, which Brian 2 keeps apart."""
    found: dict[str, SingleEquation] = {}
    for part in (synapses.equations, synapses.event_driven):
        for equation in part.ordered if part is not None else ():
            found.setdefault(equation.varname, equation)
    found.pop("lastupdate", None)
    return list(found.values())


def texts_of(synapses: Synapses) -> dict[str, str]:
    """All texts of the synapses by the places where they are."""
    texts = {f"the pathway `{path.objname}`": path.code for path in synapses._pathways}
    texts |= {f"the equation of `{of.varname}`": of.expr.code for of in equations_of(synapses) if of.type != PARAMETER}
    texts |= {f"the equation of `{name}`": of.expression.code for name, of in synapses.summed_updaters.items()}
    texts |= {f"`run_regularly` (`{of.name}`)": of.abstract_code for of in synapses.contained_objects if is_regular(of)}
    return texts


def pathway_key(path: SynapticPathway) -> tuple[Any, ...]:
    """The place of a pathway in a step of Brian 2."""
    return (path.order, path.name)


def offset_names(synapses: Synapses) -> dict[str, str]:
    """Names that mean something else in a part of a group, as indices do, and numbers that are constants."""
    source, target = synapses.source, synapses.target
    special = {"N": str(len(synapses))}
    for name, size, index, start in (("pre", "N_pre", "i", source.start), ("post", "N_post", "j", target.start)):
        if start or len(whole(source if name == "pre" else target)) != len(source if name == "pre" else target):
            special[size] = str(len(source if name == "pre" else target))
            special[index] = f"({index} - {start})" if start else index
        special[f"i_{name}"] = special.get(index, index)
    return special | {name: of for name, of in special_names().items() if name not in synapses.equations.names}


class Projections:
    """Converts synapses."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        #: Variables of neurons whose additions are seen by later pathways of a step.
        self.serial = serial(conversion.synapses)

    def synapses(self, synapses: Synapses) -> None:
        """A `Synapses` object."""
        to, problems, name = self.conversion, self.conversion.problems, synapses.name
        if not self.ends(synapses) or not synapses.active:
            return
        if "_synaptic_pre" not in synapses.variables or not synapses._connect_called:
            problems.add(
                name,
                "",
                "it has no synapses, because `connect` was not called",
                "Call `connect`, or leave it out of the network.",
            )
            return
        if len(synapses) == 0:
            return
        scope = to.scope(synapses, offset_names(synapses))
        projection: dict[str, Any] = {"name": name, "pre": self.presynaptic(synapses), "post": to.end(synapses.target)}
        columns: dict[str, np.ndarray] = {
            "pre": synapses.variables["_synaptic_pre"].get_value().astype(np.uint32),
            "post": synapses.variables["_synaptic_post"].get_value().astype(np.uint32),
        }
        self.equations(synapses, scope, projection, columns)
        self.pathways(synapses, scope, projection, columns)
        changed = {name for path in synapses._pathways if path.active for name in assigned(path.code)}
        acts = synapses.summed_updaters or any(not name.endswith("_pre") for name in changed)
        if not acts and not isinstance(whole(synapses.target), NeuronGroup):
            return
        if not acts:
            lines = [*projection.get("equations", "").splitlines(), to.no_effect(whole(synapses.target).name)]
            projection["equations"] = "\n".join(lines)
        regular(to, synapses, scope, projection)
        if scope.timed:
            for array in scope.timed:
                problems.add(
                    name,
                    f"the timed array `{array}`",
                    "equations of synapses cannot read timed arrays in Spikelet",
                    f"Add `{array}_now = {array}(t) : …` to the equations of a neuron group, and read `{array}_now_pre` or `{array}_now_post`.",
                )
        parameters = projection.setdefault("parameters", {})
        parameters.update({key: of for key, of in scope.parameters().items() if key not in scope.timed})
        to.functions.update(scope.custom_functions())
        to.constants(name, scope)
        to.files[f"{name}.npz"] = columns
        projection["pairs"] = {"file": f"{name}.npz"}
        to.projections.append({key: of for key, of in projection.items() if of not in ({}, "", None)})

    def ends(self, synapses: Synapses) -> bool:
        """Whether both sides are groups of the network."""
        to, ok = self.conversion, True
        for side, group in (("source", synapses.source), ("target", synapses.target)):
            base = whole(group)
            if isinstance(base, Synapses):
                to.problems.add(
                    synapses.name,
                    f"its {side}",
                    f"synapses cannot be a side of other synapses, as `{base.name}` is",
                    'In the network format, `"third"` gives each synapse a third neuron (docs/networks.md).',
                )
                ok = False
            elif base.name not in to.group_names:
                to.problems.add(
                    synapses.name,
                    f"its {side}",
                    f"`{base.name}` is not in the network",
                    f"Add `{base.name}` to the network.",
                )
                ok = False
        return ok

    def presynaptic(self, synapses: Synapses) -> str:
        """The presynaptic end, with the event that the synapses transmit."""
        to = self.conversion
        events = {path.event for path in synapses._pathways if path.prepost == "pre"}
        for path in synapses._pathways:
            if path.prepost == "post" and path.event != "spike":
                to.problems.add(
                    synapses.name,
                    f"the pathway `{path.objname}`",
                    f"it listens to the event `{path.event}` of its target",
                    "Let the target be the source.",
                )
        if events <= {"spike"}:
            return to.end(synapses.source)
        if len(events) > 1:
            to.problems.add(
                synapses.name,
                "`on_event`",
                f"its pathways listen to several events: {', '.join(sorted(events))}",
                "Make a `Synapses` of each.",
            )
        event = min(events - {"spike"})
        base, _, part = to.end(synapses.source).partition("[")
        return f"{base}.{event}" + (f"[{part}" if part else "")

    def equations(self, synapses: Synapses, scope: Scope, projection: dict[str, Any], columns: dict[str, np.ndarray]) -> None:
        """Equations, and the values of parameters and variables."""
        to, name, lines = self.conversion, synapses.name, []
        written = {of for code in texts_of(synapses).values() for of in assigned(code)}
        parameters, initial = {}, {}
        brought = brought_to(synapses, to.start_step * to.dt, to.namespace)
        for equation in equations_of(synapses):
            flags = set(equation.flags)
            if "linked" in flags:
                way_out = "Read the variable of a neuron group of the synapses, by `_pre` or `_post`."
                to.problems.add(
                    name, f"the linked variable `{equation.varname}`", "synapses have no linked variables in Spikelet", way_out
                )
                continue
            is_clocked = equation.type == DIFFERENTIAL_EQUATION and "event-driven" not in flags
            lines.append(equation_line(equation, scope, "", extra=("clock-driven",) if is_clocked else ()))
            if equation.type == SUBEXPRESSION:
                continue
            variable = synapses.variables[equation.varname]
            values = np.atleast_1d(inner(brought.get(equation.varname, variable.get_value()), equation.dim))
            is_parameter = equation.type == PARAMETER and equation.varname not in written
            into = parameters if is_parameter else initial
            may_change = to.keep_lists and "constant" not in flags and "shared" not in flags
            if len(values) == 1 or ((values == values[0]).all() and not (is_parameter and may_change)):
                into[equation.varname] = float(values[0])
            else:
                columns[equation.varname] = values
            to.state(f"{name}.{equation.varname}", variable, equation.dim, changes=not is_parameter, synapses=synapses)
        for target, updater in synapses.summed_updaters.items():
            right = scope.text(updater.expression.code, f"the equation of `{target}`").replace("\n", " ")
            lines.append(f"{target} = {right} : {declared(synapses.variables[target].dim)} (summed)")
        self.check_sums(synapses)
        projection["equations"] = "\n".join(lines)
        projection["parameters"], projection["initial"] = parameters, initial
        everything = Equations([of for of in equations_of(synapses) if "event-driven" not in of.flags])
        if synapses.state_updater is not None:
            chosen = method(
                synapses, everything, synapses.state_updater.method_choice, synapses.state_updater.method_options, scope
            )
            if chosen is not None:
                projection["method"] = chosen
            self.check_order(synapses, everything)

    def check_order(self, synapses: Synapses, equations: Equations) -> None:
        """Notices where clock-driven equations read neurons that Brian 2 has not updated yet."""
        for side, group in (("_pre", whole(synapses.source)), ("_post", whole(synapses.target))):
            updater = getattr(group, "state_updater", None)
            if updater is None or (updater.order, updater.name) < (
                synapses.state_updater.order,
                synapses.state_updater.name,
            ):
                continue
            changing = set(group.equations.diff_eq_names) | set(group.equations.subexpr_names)
            changing = {of + side for of in changing} | (changing if side == "_post" else set())
            if read := sorted(changing & equations.identifiers - set(equations.names)):
                self.conversion.problems.note(
                    synapses.name,
                    "its clock-driven equations",
                    f"they read {', '.join(f'`{of}`' for of in read)} after the integration of "
                    f"`{group.name}`, Brian 2 before it, since its name is later",
                    f"Name the synapses so that `{group.name}` comes first, or set `order=1`.",
                )

    def check_sums(self, synapses: Synapses) -> None:
        """Notices of sums that Brian 2 computes after an integration on which they depend, or which reads them."""
        own = synapses.state_updater
        for target, updater in synapses.summed_updaters.items():
            read, key, earlier = set(updater.expression.identifiers), (updater.order, updater.name), []
            driven = set(synapses.equations.diff_eq_names)
            if own is not None and read & driven and (own.order, own.name) < key:
                earlier.append(synapses.name)
            for side, group in (("_pre", whole(synapses.source)), ("_post", whole(synapses.target))):
                equations = getattr(group, "equations", None)
                if equations is None:
                    continue
                integrated = {of + side for of in {*equations.diff_eq_names, *equations.subexpr_names}}
                used = {of for equation in equations.values() for of in equation.identifiers}
                reads_sum = side == "_post" and target.removesuffix("_post") in used
                is_earlier = (group.state_updater.order, group.state_updater.name) < key
                if is_earlier and (read & integrated or reads_sum):
                    earlier.append(group.name)
            if earlier:
                self.conversion.problems.note(
                    synapses.name,
                    f"its sum `{target}`",
                    f"it is computed before the integration of the step, Brian 2 computes it after that of {', '.join(f'`{of}`' for of in earlier)}",
                    f"Results differ by a step; with `{synapses.name}.summed_updaters['{target}'].order = -1` Brian 2 has those of Spikelet.",
                )

    def pathways(self, synapses: Synapses, scope: Scope, projection: dict[str, Any], columns: dict[str, np.ndarray]) -> None:
        """Statements at spikes, and delays."""
        to = self.conversion
        for prepost in ("pre", "post"):
            paths = [path for path in synapses._pathways if path.prepost == prepost and path.active]
            texts, delays = {}, {}
            for path in paths:
                place = f"the pathway `{path.objname}`"
                if path.when != "synapses":
                    to.problems.add(
                        synapses.name,
                        place,
                        f"it runs in the slot `{path.when}`",
                        "Use the slot `synapses`, and `order` for the sequence.",
                    )
                code = one_by_one(path, synapses, self.serial)
                texts[path.objname] = scope.text(code, place, own=assigned(code) - set(synapses.variables))
                delays[path.objname] = self.delay(path, synapses)
            if not paths:
                continue
            is_plain = list(texts) == [prepost]
            projection[f"on_{prepost}"] = texts[prepost] if is_plain else texts
            key = "delay_ms" if prepost == "pre" else "delay_post_ms"
            if is_plain and prepost == "pre" and isinstance(delays["pre"], np.ndarray):
                columns["delay_ms"] = delays["pre"]
                continue
            plain = {path: {"values": of.tolist()} if isinstance(of, np.ndarray) else of for path, of in delays.items()}
            plain = {path: of for path, of in plain.items() if of != 0.0}
            if plain:
                projection[key] = plain[prepost] if is_plain else plain

    def delay(self, path: SynapticPathway, synapses: Synapses) -> float | np.ndarray:
        """The delay of a pathway in ms: whole steps, rounded as by Brian 2; an array if synapses differ."""
        to = self.conversion
        dt = float(path.source.clock.dt)
        ratio = to.steps_of(path.source.clock, synapses.name, f"the delay of `{path.objname}`")
        seconds = np.atleast_1d(path.variables["delay"].get_value())
        steps = (seconds / dt + 0.5).astype(int) * ratio
        if len(steps) == 0 or (steps == steps[0]).all():
            return to.time_ms(int(steps[0])) if len(steps) else 0.0
        times = {int(step): to.time_ms(int(step)) for step in np.unique(steps)}
        return np.array(list(times.values()))[np.unique(steps, return_inverse=True)[1]]

    def order(self) -> None:
        """Lists projections, and numbers pathways if need be, so that their sequence is that of Brian 2."""
        to = self.conversion
        of_name = {of.name: of for of in to.synapses}
        keys = {
            of["name"]: min(
                (pathway_key(path) for path in of_name[of["name"]]._pathways if path.prepost == "pre"),
                default=(1000, of["name"]),
            )
            for of in to.projections
        }
        to.projections.sort(key=lambda of: keys[of["name"]])
        ours = []
        for prepost in ("pre", "post"):
            for projection in to.projections:
                paths = [path for path in of_name[projection["name"]]._pathways if path.prepost == prepost and path.active]
                ours += [(projection, path) for path in sorted(paths, key=lambda path: path.objname)]
        theirs = sorted(ours, key=lambda of: pathway_key(of[1]))
        if [path.name for _, path in ours] == [path.name for _, path in theirs]:
            return
        for number, (projection, path) in enumerate(theirs):
            projection.setdefault("order", {})[path.objname] = number


def rates_read(synapses: Synapses) -> set[str]:
    """Names of values of the presynaptic neurons that the synapses read."""
    read = {name for code in texts_of(synapses).values() for name in names_in(code)}
    return {match[1] for name in read if (match := re.fullmatch(r"(\w+)_pre", name))}
