"""Neuron groups and sources of Brian 2 as populations and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import NeuronGroup, PoissonGroup, PoissonInput, Quantity, SpikeGeneratorGroup, prefs, second
from brian2.core.variables import Subexpression
from brian2.equations.equations import DIFFERENTIAL_EQUATION, PARAMETER, SUBEXPRESSION, Equations, SingleEquation
from brian2.parsing.sympytools import str_to_sympy
from brian2.stateupdaters.base import StateUpdateMethod, UnsupportedEquationsException

from .names import Scope, assigned, names_in
from .reads import with_dependencies
from .refractory import HELD, draws, held_event
from .regular import is_regular, regular
from .units import declared, inner, text
from .whole import whole

if TYPE_CHECKING:
    from .convert import Conversion

METHODS = {
    "exact": "exact",
    "linear": "exact",
    "euler": "euler",
    "heun": "heun",
    "milstein": "milstein",
    "rk2": "rk2",
    "rk4": "rk4",
}
METHODS["exponential_euler"] = "exponential_euler"


def equation_line(
    of: SingleEquation, scope: Scope, place: str, extra: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> str:
    """An equation in Spikelet."""
    unit = {"boolean": "boolean", "integer": "integer"}.get(of.var_type, declared(of.dim))
    flags = [flag for flag in of.flags if flag not in without] + [flag for flag in extra if flag not in of.flags]
    end = f" : {unit}" + (f" ({', '.join(flags)})" if flags else "")
    if of.type == PARAMETER:
        return of.varname + end
    right = scope.text(of.expr.code, f"the equation of `{of.varname}`").replace("\n", " ")
    return (f"d{of.varname}/dt = " if of.type == DIFFERENTIAL_EQUATION else f"{of.varname} = ") + right + end


def is_held(of: SingleEquation) -> bool:
    """Whether this is a subexpression that is constant over a step."""
    return of.type == SUBEXPRESSION and "constant over dt" in of.flags


def method(
    group: Any,
    equations: Equations,
    choice: Any,
    options: Any,
    scope: Scope,
    changing: set[str] | frozenset[str] = frozenset(),
) -> str | None:
    """The method that Brian 2 uses for these equations, in Spikelet; `None` without differential equations."""
    if not equations.diff_eq_names:
        return None
    way_out = f"Use one of {', '.join(sorted(set(METHODS.values())))}"
    if isinstance(choice, str):
        names = [choice.lower()]
    elif callable(choice):
        names = [next((name for name, known in StateUpdateMethod.stateupdaters.items() if known is choice), "")]
    else:
        names = [name if isinstance(name, str) else "" for name in choice]
    chosen = names[0]
    if len(names) > 1:
        variables = {}
        for name in equations.identifiers:
            if name not in group.variables and not name.startswith("xi"):
                found = scope.resolve(name)
                if found is not None:
                    variables[name] = found
        variables.update(group.variables)
        for name in names:
            try:
                StateUpdateMethod.stateupdaters[name](equations, variables, options)
            except UnsupportedEquationsException:
                continue
            chosen = name
            break
    if chosen not in METHODS:
        shown = f"`{chosen}`" if chosen else "an own state updater"
        scope.problems.add(
            group.name,
            "its method of integration",
            f"{shown} is not known in Spikelet",
            f"{way_out}; a smaller dt replaces adaptive steps.",
        )
        return None
    if chosen == "heun":
        # Brian 2's predictor is of the noise alone: the drift is that of Euler.
        if equations.stochastic_type != "multiplicative":
            return "euler"
        scope.problems.note(
            group.name,
            "its method of integration",
            "`heun` is the trapezoid for the drift, too; in Brian 2 the drift is that of `euler`",
            "Use `method='milstein'`, or a smaller dt.",
        )
    if METHODS[chosen] == "exact" and has_changing_coefficients(equations, changing):
        return "exponential_euler"
    return METHODS[chosen]


def has_changing_coefficients(equations: Equations, changing: set[str] | frozenset[str]) -> bool:
    """Whether coefficients change during a run, in equations that do not depend on each other.

    For such equations exponential Euler is the exact solution, too, and computes coefficients in each step."""
    found = False
    names = equations.diff_eq_names
    for name, expression in equations.get_substituted_expressions(include_subexpressions=False):
        right = str_to_sympy(expression.code)
        if {str(of) for of in right.free_symbols} & (names - {name}):
            return False
        found |= bool({str(of) for of in right.diff(str_to_sympy(name)).free_symbols} & changing)
    return found


def value(values: np.ndarray, dim: Any, *, is_list: bool) -> float | list[float]:
    """Values in inner units, as a list or as one number if all are equal."""
    values = np.atleast_1d(inner(values, dim))
    if not is_list and (values == values[0]).all():
        return float(values[0])
    return values.tolist()


class Groups:
    """Converts neuron groups and sources."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion

    def neurons(self, group: NeuronGroup) -> None:
        """A neuron group."""
        to, problems, name = self.conversion, self.conversion.problems, group.name
        scope = to.scope(group)
        population: dict[str, Any] = {"name": name, "size": len(group)}
        written = to.written.get(name, set())
        parameters, initial, linked, lines = {}, {}, {}, []
        for equation in group.user_equations.ordered:
            variable = group.variables.get(equation.varname)
            if equation.type == PARAMETER and "linked" in equation.flags:
                if (of := own_variable(group, equation.varname)) is not None:
                    # Another name of a variable of the same neuron.
                    kind = {"boolean": "boolean", "integer": "integer"}.get(equation.var_type, declared(equation.dim))
                    lines.append(f"{equation.varname} = {of} : {kind}")
                    continue
                link = self.link(group, equation.varname)
                if link is None:
                    lines.append(equation_line(equation, scope, "", without=("linked",)))
                    parameters[equation.varname] = link_values(group, equation)
                else:
                    linked[equation.varname] = link
                    lines.append(equation_line(equation, scope, ""))
                continue
            if is_held(equation):
                # A variable, which regular statements assign at the start of each step.
                equation = group.equations[equation.varname]
            lines.append(equation_line(equation, scope, ""))
            if equation.type == SUBEXPRESSION:
                continue
            shared = "shared" in equation.flags
            is_parameter = equation.type == PARAMETER and equation.varname not in written
            is_list = is_parameter and to.keep_lists and not shared and "constant" not in equation.flags and len(group) > 1
            values = value(variable.get_value(), equation.dim, is_list=is_list)
            if is_parameter:
                parameters[equation.varname] = values
            else:
                initial[equation.varname] = values
            to.state(f"{name}.{equation.varname}", variable, equation.dim, changes=not is_parameter)
        if not lines:
            # A population has at least one variable.
            lines, initial["nothing"] = ["nothing : 1"], 0.0
        population["equations"] = "\n".join(lines)
        chosen = method(group, group.equations, group.method_choice, group.state_updater.method_options, scope, written)
        if chosen is not None:
            population["method"] = chosen
        self.events(group, scope, population)
        if group._refractory is not False:
            if prefs.legacy.refractory_timing:
                to.problems.add(
                    group.name,
                    "its refractory period",
                    "`prefs.legacy.refractory_timing` asks for times that are rounded as in Brian 2.1",
                    "Set it to `False`.",
                )
            of = group._refractory
            population["refractory"] = text(of) if isinstance(of, Quantity) else scope.text(str(of), "its refractory period")
        regular(to, group, scope, population)
        parameters.update(scope.parameters() | population.get("parameters", {}))
        for key, of in (("parameters", parameters), ("initial", initial), ("linked", linked)):
            if of:
                population[key] = of
        to.functions.update(scope.custom_functions())
        for part in group.contained_objects:
            if not part.active and not is_regular(part):
                problems.add(
                    name,
                    f"`{part.name}`",
                    "it is inactive",
                    "Set `active = True`, or leave the group out of the network.",
                )
        to.populations.append(population)
        to.constants(name, scope)

    def events(self, group: NeuronGroup, scope: Scope, population: dict[str, Any]) -> None:
        """Threshold, reset and events."""
        problems, events = self.conversion.problems, {}
        for event, condition in group.events.items():
            place = "its threshold" if event == "spike" else f"the event `{event}`"
            thresholder = group.thresholder[event]
            usual = "thresholds" if event == "spike" else "after_thresholds"
            if thresholder.when not in (usual, "thresholds", "after_thresholds") or (
                event == "spike" and thresholder.when != usual
            ):
                problems.add(
                    group.name,
                    place,
                    f"conditions are tested after the equations, not in the slot `{thresholder.when}`",
                    f"Use `when='{usual}'`.",
                )
            condition = scope.text(condition, place)
            code = group.event_codes.get(event)
            resetter = group.resetter.get(event)
            where = "its reset" if event == "spike" else f"the statements of the event `{event}`"
            if resetter is not None and not resetter.active:
                code = None
            if resetter is not None and resetter.when not in ("resets", "after_resets"):
                problems.add(group.name, where, f"statements in the slot `{resetter.when}` cannot be run", "Use `when='resets'`.")
            statements = scope.text(code, where, own=assigned(code) - set(group.variables)) if code else ""
            if event == "spike":
                population["threshold"] = condition
                if statements:
                    population["reset"] = statements
                if group.name in self.conversion.held:
                    if draws(condition):
                        problems.add(
                            group.name,
                            "`not_refractory`",
                            "it is read, and the threshold draws random numbers",
                            "Draw them in a subexpression `(constant over dt)`, and read this in the threshold.",
                        )
                    events[HELD] = held_event(condition)
            else:
                events[event] = {"condition": condition}
                if statements:
                    events[event]["statements"] = statements
                if (group.name, event) in self.conversion.monitored_events:
                    events[event]["record"] = True
        if events:
            population["events"] = events

    def link(self, group: NeuronGroup, name: str) -> dict[str, Any] | None:
        """The source of a linked variable; `None` if its values never change, so that they are parameters."""
        to, problems = self.conversion, self.conversion.problems
        if name not in group.variables:
            problems.add(
                group.name,
                f"the linked variable `{name}`",
                "it has no source",
                f"Set it with `linked_var`, as in `G.{name} = linked_var(H, 'v')`.",
            )
            return None
        variable, index = group.variables[name], group.variables.indices[name]
        owner = variable.owner
        source = next((of for of in to.neuron_groups if of.name == getattr(owner, "name", None)), None)
        of_source = variable.name
        if isinstance(variable, Subexpression):
            problems.add(
                group.name,
                f"the linked variable `{name}`",
                "it is linked to a subexpression",
                "Link the variables of the subexpression, and write the subexpression into the equations of this group.",
            )
            return None
        if source is None:
            return None
        equation = source.user_equations.get(of_source)
        if equation is None:
            problems.add(
                group.name,
                f"the linked variable `{name}`",
                f"`{of_source}` of `{source.name}` is no variable of its equations",
                "Link another one.",
            )
            return None
        if equation.type == PARAMETER and of_source not in to.written.get(source.name, set()) and "linked" not in equation.flags:
            return None
        if source.name != group.name and executed_before(source, group) and equation.type == DIFFERENTIAL_EQUATION:
            problems.note(
                group.name,
                f"the linked variable `{name}`",
                f"it reads `{of_source}` of `{source.name}` at the start of the step, "
                f"Brian 2 after its integration, since `{source.name}` is updated first",
                "Results are later by one step; in Brian 2 the `order` of the groups changes it, too.",
            )
        elif readers := self.late_readers(group, name):
            problems.note(
                group.name,
                f"the linked variable `{name}`",
                f"{', '.join(readers)} read `{of_source}` of `{source.name}` as it is before the integration of the step, Brian 2 as it is then",
                f"Read `{of_source}` of `{source.name}` itself, or store the linked variable in a variable of this group.",
            )
        link: dict[str, Any] = {"population": source.name, "var": of_source}
        if index == "0":
            link["index"] = 0
        elif index != "_idx":
            link["index"] = np.asarray(group.variables[index].get_value()).astype(int).tolist()
        return link

    def late_readers(self, group: NeuronGroup, name: str) -> list[str]:
        """What reads a linked variable after the integration of a step."""
        names = {name} | {of for of in group.equations.subexpr_names if name in with_dependencies(group, of)}
        found = ["its threshold"] if names & names_in(group.events.get("spike", "")) else []
        found += [
            f"the condition of `{event}`" for event, of in group.events.items() if event != "spike" and names & names_in(of)
        ]
        found += [f"the statements at `{event}`" for event, of in group.event_codes.items() if names & names_in(of)]
        for synapses in self.conversion.synapses:
            sides = (("_pre",), synapses.source), (("_post", ""), synapses.target)
            read = {of + suffix for suffixes, side in sides if whole(side) is group for of in names for suffix in suffixes}
            read -= set(synapses.equations.names)
            if any(read & names_in(path.code) for path in synapses._pathways if path.active):
                found.append(f"the pathways of `{synapses.name}`")
        return found

    def poisson(self, group: PoissonGroup) -> None:
        """A Poisson group: a source, or a population if its rates need what sources do not have."""
        to, scope, rates = self.conversion, self.conversion.scope(group), group._rates
        name, size = group.name, len(group)
        to.same_clock(group)
        if isinstance(rates, str) and to.runners.get(name):
            to.problems.add(
                name, "`run_regularly`", "its rates are an expression, so nothing can be assigned", "Remove the statements."
            )
            return
        if isinstance(rates, str):
            plain = scope.text(rates, "its rates", literal=True)
            if scope.timed or to.reads_values_of(name) or scope.custom_functions():
                scope = to.scope(group)
                line = f"rates = {scope.text(rates, 'its rates')} : hertz"
                to.populations.append(
                    {
                        "name": name,
                        "size": size,
                        "equations": line,
                        "threshold": "rand() < rates*dt",
                        "parameters": scope.parameters(),
                    }
                )
                to.functions.update(scope.custom_functions())
                to.constants(name, scope)
            else:
                to.sources.append({"name": name, "type": "poisson", "size": size, "rate": plain})
            return
        variable = group.variables["rates"]
        values = value(variable.get_value(), variable.dim, is_list=to.keep_lists and size > 1)
        if to.runners.get(name):
            population: dict[str, Any] = {
                "name": name,
                "size": size,
                "equations": "rates : hertz",
                "threshold": "rand() < rates*dt",
            }
            regular(to, group, scope, population)
            parameters = population.get("parameters", {}) | scope.parameters()
            to.populations.append(population | {"initial": {"rates": values}, "parameters": parameters})
            to.state(f"{name}.rates", variable, variable.dim, changes=True)
            to.functions.update(scope.custom_functions())
            to.constants(name, scope)
        elif to.reads_values_of(name):
            to.populations.append(
                {
                    "name": name,
                    "size": size,
                    "equations": "rates : hertz",
                    "threshold": "rand() < rates*dt",
                    "parameters": {"rates": values},
                }
            )
            to.state(f"{name}.rates", variable, variable.dim, changes=False)
        else:
            to.sources.append({"name": name, "type": "poisson", "size": size, "rate": values})
            to.state(f"{name}.rate", variable, variable.dim, changes=False)

    def generator(self, group: SpikeGeneratorGroup) -> None:
        """A spike generator, with all spikes from the start of the network on."""
        to, dt = self.conversion, float(group.clock.dt)
        neurons = np.asarray(group._neuron_index, dtype=int)
        times = np.asarray(group._spike_time, dtype=float)
        ratio = to.steps_of(group.clock, group.name, "")
        # Brian 2 rounds down to its steps, with a thousandth of a step for rounding errors.
        steps = ((times + 1e-3 * dt) / dt).astype(int) * ratio
        period = float(np.asarray(group.variables["period"].get_value()).item()) if "period" in group.variables else 0.0
        start = to.start_step
        keys, counts = np.unique(steps * len(group) + neurons, return_counts=True)
        if (counts > 1).any():
            step, neuron = divmod(int(keys[np.argmax(counts > 1)]), len(group))
            to.problems.add(
                group.name,
                "its spikes",
                f"neuron {neuron} has {counts.max()} spikes in the step at {to.time_ms(step):g} ms, and can have one",
                f"Choose a shorter dt than {dt * 1e3:g} ms, or leave out all but one.",
            )
            return
        if 0 < period < 1e50 and to.keep_lists:
            self.periodic(group, neurons, steps, round(period / dt) * ratio)
            return
        if 0 < period < 1e50:
            of_period = round(period / dt) * ratio
            count = (start + to.duration_steps) // of_period + 1
            if to.duration_steps and len(times):
                repeats = np.arange(count) * of_period
                steps = (steps[None, :] + repeats[:, None]).ravel()
                neurons = np.tile(neurons, count)
        kept = (steps >= start) & (steps < start + to.duration_steps) if 0 < period < 1e50 else steps >= start
        spikes = [[int(neuron), to.time_ms(int(step) - start)] for neuron, step in zip(neurons[kept], steps[kept], strict=False)]
        to.sources.append({"name": group.name, "size": len(group), "spike_times_ms": spikes})

    def periodic(self, group: SpikeGeneratorGroup, neurons: np.ndarray, steps: np.ndarray, period: int) -> None:
        """A generator with a period as a population that fires by the clock, for runs of any number and length."""
        order = np.lexsort((steps, neurons))
        neurons, steps = neurons[order], steps[order]
        # The number of each spike among those of its neuron.
        rank = np.arange(len(neurons)) - np.searchsorted(neurons, neurons)
        lines, parameters, conditions = [], {}, []
        time = self.conversion.scope(group).name("t", "", False)
        for number in range(int(rank.max(initial=0)) + 1):
            of_neuron = np.full(len(group), -1.0)
            of_neuron[neurons[rank == number]] = steps[rank == number]
            lines.append(f"step_{number} : 1 (constant)")
            parameters[f"step_{number}"] = of_neuron.tolist()
            conditions.append(f"timestep({time}, dt) % {period} == step_{number}")
        population = {"name": group.name, "size": len(group), "equations": "\n".join(lines), "parameters": parameters}
        self.conversion.populations.append(population | {"threshold": " or ".join(conditions)})

    def poisson_input(self, group: PoissonInput) -> None:
        """A Poisson input."""
        to, target = self.conversion, group._group
        base = whole(target)
        if base.name not in to.group_names:
            to.problems.add(
                group.name, "its target", f"`{base.name}` is not in the network", f"Add `{base.name}` to the network."
            )
            return
        scope = to.scope(base)
        to.same_clock(group)
        weight = group._weight
        weight = scope.text(weight, f"the weight of `{group.name}`", literal=True) if isinstance(weight, str) else text(weight)
        if scope.timed or scope.custom_functions():
            self.input_as_statements(group, base)
            return
        to.sources.append(
            {
                "name": group.name,
                "type": "poisson_input",
                "targets": [to.end(target)],
                "var": group._target_var,
                "N": int(group._N) if not isinstance(group._N, str) else group._N,
                "rate": text(group._rate),
                "weight": weight,
            }
        )

    def input_as_statements(self, group: PoissonInput, base: NeuronGroup) -> None:
        """A Poisson input whose weight needs what sources do not have: the same draws at the start of the next step."""
        to, target, variable = self.conversion, group._group, group._target_var
        population = next(of for of in to.populations if of["name"] == base.name)
        start = f" + {text(Quantity(to.start_step * to.dt, dim=second.dim))}" if to.start_step else ""
        scope = to.scope(base, {"t": f"(t - dt{start})"})
        weight = scope.text(group._weight, f"the weight of `{group.name}`")
        chosen = "" if (target.start, target.stop) == (0, len(base)) else f"int(i >= {target.start} and i < {target.stop})*"
        draw = f"{chosen}({weight})*binomial({int(group._N)}, {text(group._rate)}*dt)"
        population.setdefault("run_regularly", []).append(
            {"statements": f"{variable} += {draw}", "start_ms": to.time_ms(1), "order": -1000000}
        )
        population.setdefault("parameters", {}).update(scope.parameters())
        to.functions.update(scope.custom_functions())
        to.constants(base.name, scope)


def own_variable(group: NeuronGroup, name: str) -> str | None:
    """The variable of the same neurons to which a variable is linked, if it is one."""
    if name not in group.variables:
        return None
    variable, index = group.variables[name], group.variables.indices[name]
    is_own = index == "_idx" and not isinstance(variable, Subexpression) and getattr(variable.owner, "name", None) == group.name
    return variable.name if is_own and variable.name in group.user_equations else None


def link_values(group: NeuronGroup, equation: SingleEquation) -> float | list[float]:
    """The values of a linked variable whose source does not change."""
    if equation.varname not in group.variables:
        return 0.0
    variable, index = group.variables[equation.varname], group.variables.indices[equation.varname]
    if isinstance(variable, Subexpression):
        return 0.0
    values = np.atleast_1d(variable.get_value())
    if index not in ("0", "_idx"):
        values = values[np.asarray(group.variables[index].get_value()).astype(int)]
    return value(values, equation.dim, is_list=False)


def executed_before(first: NeuronGroup, second: NeuronGroup) -> bool:
    """Whether Brian 2 integrates a group before another in each step."""
    key = lambda of: (of.state_updater.order, of.state_updater.name)  # noqa: E731
    return key(first) < key(second)
