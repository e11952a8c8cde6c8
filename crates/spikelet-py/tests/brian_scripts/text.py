"""Writes the tree of a script as the text of a script."""

from __future__ import annotations

import re
from typing import Any

from .draw import Tree

OWNER = re.compile(r"\b[a-z]\d+\.(?=[A-Za-z])")
UNIT = re.compile(r"([*/])U_([a-z]\d+)\b")

HEADER = '''"""Run it with `brian`, `f64` or `f32`."""

import sys

from brian2 import *

prefs.codegen.target = "numpy"
if sys.argv[1:] != ["brian"]:
    import spikelet.brian2

    set_device("spikelet", backend="cpu", precision=(sys.argv[1:] or ["f64"])[0])


def show(name, values):
    print(f"{name}: {np.asarray(values).tolist()}")


'''


def body(tree: Tree) -> str:
    """The text of a script, which calls `show` for each result."""
    return "\n".join(Text(tree).lines()) + "\n"


class Text:
    """The text of a script in parts."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.units = {group["name"]: group["unit"] for group in tree["groups"]}

    def python(self, text: str) -> str:
        """A text of Python: with its owners, and with units."""
        return UNIT.sub(lambda match: "" if self.units[match[2]] == "1" else f"{match[1]}mV", text)

    def code(self, text: str) -> str:
        """A text of equations or statements: without the owners of its names."""
        return OWNER.sub("", self.python(text))

    def block(self, texts: list[str]) -> str:
        """Statements or equations, as a literal."""
        lines = "\n".join(self.code(text) for text in texts)
        return f"'''{lines}'''" if "\n" in lines else repr(lines)

    def unit(self, unit: str) -> str:
        """The unit of a declaration."""
        return self.units[unit[2:]] if unit.startswith("U_") else unit

    def lines(self) -> list[str]:
        """The script."""
        tree = self.tree
        found = [f"{of['name']} = {of['value']}" for of in tree["constants"]]
        found += [self.array(of) for of in tree["arrays"]]
        for group in tree["groups"]:
            found += self.group(group)
        found += [self.source(of) for of in tree["sources"]]
        found += [f"{of['name']} = {of['group']}[{of['start']}:{of['stop']}]" for of in tree["parts"]]
        for group in tree["groups"]:
            found += self.values(group)
        for entry in tree["synapses"]:
            found += self.synapses(entry)
        found += [self.runner(of) for of in tree["runners"]]
        found += [self.monitor(of) for of in tree["monitors"]]
        for of in tree["operations"]:
            found += self.operation(of)
        return found + self.runs()

    def array(self, of: Tree) -> str:
        """A timed array."""
        rows = ", ".join(row if isinstance(row, str) else f"[{', '.join(row)}]" for row in of["rows"])
        return f"{of['name']} = TimedArray([{rows}], dt={of['dt']}*ms)"

    def equation(self, of: Tree) -> str:
        """An equation."""
        name, flags = self.code(of["name"]), list(of["flags"])
        right = of["terms"][0] if of["terms"] else ""
        for term in of["terms"][1:]:
            right += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        left = {"ode": f"d{name}/dt = ", "subexpression": f"{name} = ", "summed": f"{name} = "}.get(of["kind"], name)
        flags += [of["kind"]] if of["kind"] in ("linked", "summed") else []
        end = f" ({', '.join(flags)})" if flags else ""
        return f"{left}{self.code(right)} : {self.unit(of['unit'])}{end}"

    def model(self, lines: list[Tree]) -> str:
        """Equations as a literal."""
        return "'''" + "\n".join(self.equation(of) for of in lines) + "'''"

    def group(self, group: Tree) -> list[str]:
        """A group, and the statements of its events."""
        words = [str(group["size"]), self.model(group["lines"])]
        if group["threshold"]:
            words.append(f"threshold={self.block([' and '.join(f'({of})' for of in group['threshold'])])}")
            if group["reset"]:
                words.append(f"reset={self.block(group['reset'])}")
        if of := group["refractory"]:
            words.append(f"refractory={of if re.fullmatch(r'[0-9.]+[*]ms', of) else self.block([of])}")
        if group["events"]:
            events = ", ".join(f"{self.code(of['name'])!r}: {self.code(of['condition'])!r}" for of in group["events"])
            words.append(f"events={{{events}}}")
        if any(of["kind"] == "ode" for of in group["lines"]) and group["method"]:
            words.append(f"method={group['method']!r}")
        words += [f"dt={group['dt']}*ms"] if group["dt"] else []
        found = [f"{group['name']} = NeuronGroup({', '.join(words)}, name={group['called']!r})"]
        for of in group["events"]:
            if of["statements"]:
                found.append(f"{group['name']}.run_on_event({self.code(of['name'])!r}, {self.block(of['statements'])})")
        return found

    def source(self, of: Tree) -> str:
        """A generator or a Poisson group."""
        name = f"name={of['called']!r}"
        if of["kind"] == "poisson":
            return f"{of['name']} = PoissonGroup({of['size']}, [{', '.join(of['rates'][: of['size']])}]*Hz, {name})"
        pairs = [text.strip("()").split(", ") for text in of["spikes"]]
        indices, times = ", ".join(pair[0] for pair in pairs), ", ".join(pair[1] for pair in pairs)
        period = f", period={of['period']}*ms" if of["period"] else ""
        dt = f", dt={of['dt']}*ms" if of["dt"] else ""
        return f"{of['name']} = SpikeGeneratorGroup({of['size']}, [{indices}], [{times}]*ms{period}{dt}, {name})"

    def values(self, group: Tree) -> list[str]:
        """Links and initial values of a group."""
        found = []
        for of in group["lines"]:
            if of["kind"] == "linked":
                owner, _, name = of["to"].partition(".")
                index = f", index={of['index'][: group['size']]}" if of["index"] else ""
                found.append(f"{of['name']} = linked_var({owner}, {name!r}{index})")
        return found + [self.value(of, group["size"]) for of in group["values"]]

    def value(self, of: Tree, size: int) -> str:
        """Values of a variable."""
        name, scale = of["of"], self.python(of["scale"])
        if "one" in of:
            right = f"{of['one']}{scale}"
        elif "list" in of:
            right = f"[{', '.join(of['list'][:size])}]{scale}"
        elif "expression" in of:
            right = repr(f"({of['expression']}){scale}" if scale else of["expression"])
        elif "terms" in of:
            right = repr(" + ".join(of["terms"]))
        else:
            first, every = of["ramp"]
            right = f"{first} + {every}*arange(len({name.split('.')[0]}))"
        return f"{name} = {right}"

    def synapses(self, entry: Tree) -> list[str]:
        """Synapses with connections, values and delays."""
        name, delays, after = entry["name"], [], []
        words = [entry["source"], entry["target"], self.model(entry["lines"])]
        paths = [of for of in entry["paths"] if of["statements"]]
        for side in ("pre", "post"):
            of_side = {of["name"].split(".")[1]: self.block(of["statements"]) for of in paths if of["side"] == side}
            if list(of_side) == [side]:
                words.append(f"on_{side}={of_side[side]}")
            elif of_side:
                words.append(f"on_{side}={{{', '.join(f'{key!r}: {text}' for key, text in of_side.items())}}}")
        for of in paths:
            label, delay = of["name"].split(".")[1], of["delay"] or {}
            if "one" in delay:
                delays.append(f"{label!r}: {delay['one']}*ms")
            elif "terms" in delay:
                after.append(f"{of['name']}.delay = {' + '.join(delay['terms'])!r}")
            elif "ramp" in delay:
                first, every = delay["ramp"]
                after.append(f"{of['name']}.delay = ({first} + {every}*arange(len({name})))*ms")
            for key in ("order", "when"):
                if of[key] is not None:
                    after.append(f"{of['name']}.{key} = {of[key]!r}")
        words += [f"delay={{{', '.join(delays)}}}"] if delays else []
        if entry["event"]:
            event = self.code(entry["event"])
            words.append(
                "on_event={" + ", ".join(f"{of['name'].split('.')[1]!r}: {event!r}" for of in paths if of["side"] == "pre") + "}"
            )
        words += [f"multisynaptic_index={entry['index']!r}"] if entry["index"] else []
        words += [f"order={entry['order']}"] if entry["order"] else []
        found = [f"{name} = Synapses({', '.join(words)}, name={entry['called']!r})", f"{name}.connect({entry['connect']})"]
        return found + [self.value(of, 0) for of in entry["values"]] + after

    def options(self, of: Tree) -> str:
        """When something runs."""
        words = [f"dt={of['dt']}*ms"] if of.get("dt") else []
        words += [f"{key}={of[key]!r}" for key in ("when", "order") if of.get(key) is not None]
        return "".join(f", {word}" for word in words)

    def runner(self, of: Tree) -> str:
        """Statements at regular times."""
        call = f"{of['of']}.run_regularly({self.block(of['statements'])}{self.options(of)}"
        return f"{of['name']} = {call}, name={of['called']!r})"

    def monitor(self, of: Tree) -> str:
        """A monitor."""
        names, name = [self.code(name) for name in of["variables"]], f", name={of['called']!r})"
        also = f", variables={names}" if names else ""
        match of["kind"]:
            case "spikes":
                return f"{of['name']} = SpikeMonitor({of['of']}{also}{name}"
            case "events":
                return f"{of['name']} = EventMonitor({of['of']}, {self.code(of['event'])!r}{also}{name}"
            case "rate":
                return f"{of['name']} = PopulationRateMonitor({of['of']}{name}"
        return f"{of['name']} = StateMonitor({of['of']}, {names}, record={of['record']}{self.options(of)}{name}"

    def operation(self, of: Tree) -> list[str]:
        """Python code during a run."""
        words = [f"dt={of['dt']}*ms"] + ([f"when={of['when']!r}"] if of["when"] else [])
        statements = [f"    {self.python(text)}" for text in of["statements"]]
        return ["", f"@network_operation({', '.join(words)})", f"def {of['name']}():", *statements, ""]

    def runs(self) -> list[str]:
        """The runs, and what is shown."""
        tree, shown = self.tree, []
        for owner in (*tree["groups"], *tree["synapses"]):
            for of in owner["lines"]:
                if of["kind"] != "summed":
                    shown.append(f"    show(f'{{when}}: {of['name']}', {of['name']}[:])")
            if owner.get("refractory"):
                shown.append(f"    show(f'{{when}}: {owner['name']}.not_refractory', {owner['name']}.not_refractory[:])")
        found = ["", "def look(when):", *(shown or ["    pass"]), ""]
        network = "net." if tree["explicit"] else ""
        if tree["explicit"]:
            with_runners = {of["of"] for of in tree["runners"]}
            objects = [of["name"] for kind in ("groups", "sources", "synapses", "monitors", "operations") for of in tree[kind]]
            objects += [of["name"] for of in tree["parts"] if of["name"] in with_runners]
            found.append(f"net = Network({', '.join(objects)})")
        for number, of in enumerate(tree["runs"], 1):
            for text in of["before"]:
                text = self.python(text)
                found.append(f"{network}{text}" if text.startswith(("store(", "restore(")) else text)
            found += [f"{network}run({of['time']}*ms)", f"look('run {number}')"]
        for of in tree["monitors"]:
            found += [f"show('{of['name']}.{key}', {self.shown(of, key)})" for key in self.results(of)]
        return found

    def results(self, of: Tree) -> list[str]:
        """What a monitor has."""
        names = [self.code(name) for name in of["variables"]]
        if of["kind"] in ("spikes", "events"):
            return ["i", "t", "count", *names]
        return ["t", "rate"] if of["kind"] == "rate" else ["t", *names]

    def shown(self, of: Tree, key: str) -> Any:
        """One of them."""
        return f"{of['name']}.t[:]/ms" if key == "t" else f"{of['name']}.{key}" + ("" if of["kind"] == "state" else "[:]")
