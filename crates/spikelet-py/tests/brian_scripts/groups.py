"""Draws groups of neurons, their equations, and sources of spikes."""

from __future__ import annotations

from .draw import Draw, Tree, line

# Methods by what the equations are: linear, linear in their own variable, anything else.
METHODS = [
    ["exact", "euler", "rk2", "rk4", "exponential_euler", "heun", None],
    ["exponential_euler", "euler", "rk2", "rk4"],
    ["euler", "rk2", "rk4", "heun"],
]
# Values are listed for the largest group; the text takes as many as there are neurons.
LARGEST = 5


def constant(draw: Draw, tree: Tree, value: str) -> str:
    """A number as it is, or as a constant of the script."""
    if not draw.has():
        return f"({value})" if "*" in value else value
    name, _ = draw.new("k")
    tree["constants"].append({"name": name, "value": value})
    return name


def variable_of(group: Tree, name: str) -> Tree | None:
    """A line of a group by its short name."""
    return next((of for of in group["lines"] if of["name"] == f"{group['name']}.{name}"), None)


def neurons(draw: Draw, tree: Tree) -> None:
    """A group of neurons."""
    name, called = draw.new("g")
    unit = draw.pick("1", "volt")
    group: Tree = {
        "name": name,
        "called": called,
        "size": draw.between(1, LARGEST),
        "unit": unit,
        "lines": [],
        "values": [],
        "events": [],
        "threshold": [],
        "reset": [],
        "refractory": None,
        "dt": None,
        "inactive": [],
    }
    tree["groups"].append(group)
    Cell(draw, tree, group).fill()


class Cell:
    """Equations, threshold and reset of a group."""

    def __init__(self, draw: Draw, tree: Tree, group: Tree) -> None:
        self.draw, self.tree, self.group = draw, tree, group
        self.name = group["name"]
        self.scale, self.per = f"*U_{self.name}", f"/U_{self.name}"
        #: How far the equations are from linear ones: an index of `METHODS`.
        self.level = 0

    def of(self, name: str) -> str:
        """A variable by its short name."""
        return f"{self.name}.{name}"

    def add(self, name: str, kind: str, terms: list[str], unit: str, *flags: str) -> str:
        """Adds an equation."""
        self.group["lines"].append(line(self.of(name), kind, terms, unit, *flags))
        return self.of(name)

    def parameter(self, name: str, unit: str, low: float, high: float, *flags: str) -> str:
        """Adds a parameter with values for all neurons."""
        self.add(name, "parameter", [], unit, *flags)
        scale = {"second": "*ms", f"U_{self.name}": self.scale}.get(unit, "")
        value: Tree = {"of": self.of(name), "scale": scale}
        if "shared" in flags:
            value["one"] = self.draw.number(low, high)
        elif self.draw.one_in(3):
            value["expression"] = f"{self.draw.number(low, (low + high) / 2)} + {self.draw.number(0, (high - low) / 10)}*i"
        else:
            value["list"] = self.draw.numbers(low, high, LARGEST)
        self.group["values"].append(value)
        return self.of(name)

    def whole(self, name: str, kind: str) -> str:
        """Adds an integer or a boolean."""
        self.add(name, "parameter", [], kind)
        choices = ["True", "False"] if kind == "boolean" else ["0", "1", "2", "3"]
        self.group["values"].append(
            {"of": self.of(name), "scale": "", "list": [self.draw.pick(*choices) for _ in range(LARGEST)]}
        )
        return self.of(name)

    def fill(self) -> None:
        """All of it."""
        draw, group, u = self.draw, self.group, f"U_{self.name}"
        number, scale, per = draw.number, self.scale, self.per
        v, fires = self.of("v"), not draw.one_in(12)
        is_refractory = fires and draw.has(1.2)
        flag = "unless refractory" if is_refractory and draw.pick(True, True, False) else ""
        own_tau = draw.has()
        tau = self.parameter("tau", "second", 4, 13, draw.pick("constant", "")) if own_tau else None
        tau = tau or constant(draw, self.tree, f"{number(4, 13)}*ms")
        drive = (
            self.parameter("I", u, 0.7, 2.4, *(["constant"] if draw.one_in(6) else [])) if draw.pick(True, True, False) else None
        )
        drive = drive or f"{constant(draw, self.tree, number(0.7, 2.1))}{scale}"
        terms, is_coupled = [f"({drive} - {v})/{tau}"], False
        if draw.pick(True, True, False):
            decay = [f"-{self.of('g')}/({number(2, 7)}*ms)"]
            terms.append(f"{self.add('g', 'ode', decay, u)}/{tau}")
        if draw.pick(True, True, False):
            self.add("x", "parameter", [], "1")
        if draw.has():
            slow = [f"({number(0.1, 0.5)}*{v} - {self.of('u')})/({number(6, 17)}*ms)"]
            sign = draw.pick("-", "-", "")
            terms.append(f"{sign}{number(0.2, 0.8)}*{self.add('u', 'ode', slow, u, flag if draw.one_in(3) else '')}/{tau}")
            # Brian 2 takes minutes for the exact solution, which may be complex.
            is_coupled = True
        terms += self.extra(tau)
        self.add("v", "ode", terms, u, flag)
        group["lines"].reverse()
        if draw.has(2):
            group["values"].append({"of": v, "scale": scale, "list": draw.numbers(0, 0.9, LARGEST)})
        methods = METHODS[self.level]
        group["method"] = draw.pick(*([of for of in methods if of not in ("exact", None)] if is_coupled else methods))
        if fires:
            self.spikes(v)
        if is_refractory:
            group["refractory"] = self.refractory(v)
        if draw.has(0.6):
            self.event(v)
        if draw.one_in(80):
            group["dt"] = "0.2"
        if per and draw.one_in(30):
            group["lines"][0]["terms"].append(f"{number(0.01, 0.05)}*{v}*int({v}{per} > {number(1, 2)})/{tau}")

    def extra(self, tau: str) -> list[str]:
        """Terms of the potential that not every group has."""
        draw, u, v = self.draw, f"U_{self.name}", self.of("v")
        number, scale, per = draw.number, self.scale, self.per
        terms = []
        if draw.has(0.7):
            n = self.whole("n", "integer")
            terms.append(f"{number(0.02, 0.1)}*{n}{scale}/{tau}")
        if draw.has(0.7):
            b = self.whole("b", "boolean")
            terms.append(f"{number(0.1, 0.4)}*int({b}){scale}/{tau}")
        if draw.has(0.6):
            shared = self.parameter("s", u, 0.1, 0.5, "shared", *(["constant"] if draw.one_in(3) else []))
            terms.append(f"{shared}/{tau}")
        if draw.has(0.8):
            right = draw.pick(
                [f"{number(0.1, 0.4)}*{v}"],
                [f"{number(0.1, 0.4)}*{v}", f"{number(0.05, 0.2)}*i{scale}"],
                [f"{number(0.1, 0.3)}*sin({v}{per}){scale}"],
                [f"{number(0.1, 0.3)}*exp(-({v}{per})**2){scale}"],
            )
            self.level = max(self.level, 2 if "(" in right[0] else 0)
            terms.append(f"{draw.pick('-', '')}{self.add('q', 'subexpression', right, u)}/{tau}")
        if draw.has(0.8):
            right = draw.pick(
                [f"{number(0.1, 0.4)}*{v}"],
                [f"{number(0.1, 0.3)}*cos(t/({number(2, 6)}*ms)){scale}", f"{number(0.01, 0.1)}*i{scale}"],
                [f"{number(0.1, 0.3)}*int({v} > {number(0.3, 0.8)}{scale}){scale}"],
            )
            terms.append(f"{self.add('c', 'subexpression', right, u, 'constant over dt')}/{tau}")
        if draw.has(0.4):
            right = [f"{number(0.1, 0.3)}*sin(t/({number(2, 6)}*ms)){scale}"]
            terms.append(f"{self.add('z', 'subexpression', right, u, 'shared', draw.pick('', 'constant over dt'))}/{tau}")
            self.level = max(self.level, 1)
        for array in self.tree["arrays"]:
            if draw.has(1.5):
                call = f"{array['name']}(t, i)" if array["columns"] else f"{array['name']}(t)"
                terms.append(f"{call}{scale}/{tau}")
        if draw.has(0.5):
            terms.append(
                draw.pick(
                    f"{number(0.1, 0.4)}*sin({v}{per}){scale}/{tau}",
                    f"-{number(0.05, 0.2)}*{v}*abs({v}){per}/{tau}",
                    f"{number(0.1, 0.3)}*clip({v}, 0{scale}, {number(0.4, 0.9)}{scale})/{tau}",
                    f"{number(0.1, 0.3)}*cos(t/({number(2, 6)}*ms)){scale}/{tau}",
                )
            )
            self.level = 2
        return terms

    def spikes(self, v: str) -> None:
        """Threshold and reset."""
        draw, group, number, scale = self.draw, self.group, self.draw.number, self.scale
        top = f"{number(0.8, 1.3)}{scale}"
        if draw.has(0.6):
            top = self.of("th")
            rest = number(0.8, 1.2)
            if draw.pick(True, False):
                self.add("th", "ode", [f"({rest}{scale} - {top})/({number(5, 15)}*ms)"], f"U_{self.name}")
            else:
                self.add("th", "parameter", [], f"U_{self.name}")
            group["values"].append({"of": top, "scale": scale, "list": draw.numbers(0.8, 1.2, LARGEST)})
            group["reset"].append(f"{top} += {number(0.05, 0.2)}{scale}")
        group["threshold"] = [f"{v} > {top}"]
        if draw.has(0.4):
            b, n = variable_of(group, "b"), variable_of(group, "n")
            choices = [f"t > {number(1, 4)}*ms", f"i != {draw.between(0, 3)}"]
            choices += [f"not {b['name']}"] if b else []
            choices += [f"{n['name']} < {draw.between(2, 6)}"] if n else []
            group["threshold"].append(draw.pick(*choices))
        group["reset"].append(
            draw.pick(f"{v} = {number(0, 0.2)}{scale}", f"{v} -= {number(0.8, 1.0)}{scale}", f"{v} = {number(0.05, 0.2)}*{v}")
        )
        group["reset"] += self.statements(0.8, "reset")

    def statements(self, weight: float, place: str) -> list[str]:
        """Statements that change variables of the group."""
        draw, group, number, scale, per = self.draw, self.group, self.draw.number, self.scale, self.per
        v, found = self.of("v"), []
        choices = {
            "u": [f"{self.of('u')} += {number(0.05, 0.3)}{scale}"],
            "g": [f"{self.of('g')} *= {number(0.5, 0.9)}", f"{self.of('g')} += {number(0.05, 0.2)}{scale}"],
            "x": [
                f"{self.of('x')} += {number(0.5, 1.5)}",
                f"{self.of('x')} = {number(0.5, 0.9)}*{self.of('x')} + {v}{per}",
                f"y = {number(0.5, 0.9)}*{v}{per}\n{self.of('x')} = y*{number(0.3, 0.9)}",
            ],
            "I": [f"{self.of('I')} *= {number(0.9, 0.99)}", f"{self.of('I')} += {number(0.01, 0.05)}*{v}"],
            "n": [f"{self.of('n')} += 1", f"{self.of('n')} = ({self.of('n')} + 2) % 5"],
            "b": [f"{self.of('b')} = not {self.of('b')}", f"{self.of('b')} = {v} > {number(0.2, 0.9)}{scale}"],
            "tau": [f"{self.of('tau')} *= {number(0.97, 0.99)}"],
        }
        if place == "runner":
            choices["s"] = [f"{self.of('s')} = {number(0.1, 0.4)}*cos(t/({number(2, 5)}*ms)){scale}"]
            choices["v"] = [f"{v} += {number(0.01, 0.06)}{scale}", f"{v} *= {number(0.9, 0.99)}"]
        for short, texts in choices.items():
            of = variable_of(group, short)
            if of is not None and "constant" not in of["flags"] and draw.has(weight):
                found.append(draw.pick(*texts))
        q = variable_of(group, "q") or variable_of(group, "c")
        if q and variable_of(group, "x") and draw.has(weight / 2):
            found.append(f"{self.of('x')} += {number(0.3, 0.9)}*{q['name']}{per}")
        return found

    def refractory(self, v: str) -> str:
        """A refractory period, or a condition."""
        draw, number = self.draw, self.draw.number
        kind = draw.pick("time", "time", "expression", "variable", "condition", "boolean")
        if kind == "variable":
            return self.parameter("ref", "second", 0.5, 3)
        if kind == "expression":
            return f"{number(0.5, 2)}*ms + {number(0.1, 0.4)}*i*ms"
        if kind == "condition":
            return f"{v} > {number(0.1, 0.6)}{self.scale}"
        if kind == "boolean" and variable_of(self.group, "b"):
            return self.of("b")
        return f"{number(0.4, 3)}*ms"

    def event(self, v: str) -> None:
        """A custom event."""
        draw, name = self.draw, self.of("high")
        statements = self.statements(1.5, "event") if draw.has(2) else []
        self.group["events"].append(
            {"name": name, "condition": f"{v} > {draw.number(0.4, 0.8)}{self.scale}", "statements": statements}
        )


def timed_array(draw: Draw, tree: Tree) -> None:
    """A timed array, with a column for each neuron or without."""
    name, _ = draw.new("f")
    rows, columns = draw.between(3, 6), LARGEST if draw.one_in(3) else 0
    values = [draw.numbers(0, 0.6, columns) if columns else draw.number(0, 0.6) for _ in range(rows)]
    tree["arrays"].append({"name": name, "columns": columns, "rows": values, "dt": draw.steps(7, 41)})


def generator(draw: Draw, tree: Tree) -> None:
    """A spike generator."""
    name, called = draw.new("e")
    size, spikes = draw.between(1, 3), []
    period = draw.between(31, 83) if draw.has(0.5) else None
    for neuron in range(size):
        for step in sorted(draw.random.sample(range(1, period or 130), draw.between(1, 5))):
            spikes.append(f"({neuron}, {(step + draw.pick(0, 0, 0.37)) * 0.1:.3f})")
    tree["sources"].append(
        {
            "name": name,
            "called": called,
            "kind": "generator",
            "size": size,
            "spikes": spikes,
            "period": f"{period * 0.1:.1f}" if period else None,
            "dt": None,
        }
    )


def poisson(draw: Draw, tree: Tree) -> None:
    """A Poisson group whose neurons fire in no step, or in every one."""
    name, called = draw.new("e")
    rates = [draw.pick("0", "10000") for _ in range(3)]
    tree["sources"].append({"name": name, "called": called, "kind": "poisson", "size": draw.between(1, 3), "rates": rates})


def part(draw: Draw, tree: Tree, group: Tree) -> None:
    """A part of a group."""
    name, _ = draw.new("p")
    start = draw.between(0, group["size"] - 2)
    stop = draw.between(start + 1, group["size"])
    tree["parts"].append({"name": name, "group": group["name"], "start": start, "stop": stop})


def link(draw: Draw, tree: Tree, group: Tree) -> None:
    """A variable that is linked to one of some group."""
    others = [of for of in tree["groups"] if of is not group] or tree["groups"]
    source = draw.pick(*others)
    names = [of for of in source["lines"] if of["name"].split(".")[1] in ("v", "u", "g", "x", "I", "s", "th", "q")]
    chosen = draw.pick(*names)
    name = f"{group['name']}.L"
    entry = line(name, "linked", [], chosen["unit"])
    entry["to"] = chosen["name"]
    is_shared = "shared" in chosen["flags"]
    plain = is_shared or (source["size"] == group["size"] and draw.pick(True, False))
    entry["index"] = None if plain else [draw.between(0, source["size"] - 1) for _ in range(LARGEST)]
    group["lines"].append(entry)
    value = f"{name}/{chosen['unit']}" if chosen["unit"].startswith("U_") else name
    first = next(of for of in group["lines"] if of["name"].endswith(".v"))
    first["terms"].append(f"{draw.number(0.05, 0.2)}*{value}*U_{group['name']}/({draw.number(4, 9)}*ms)")
