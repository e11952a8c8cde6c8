"""Draws synapses: their variables, pathways, delays and connections."""

from __future__ import annotations

from .draw import Draw, Tree, line
from .groups import variable_of


def synapses(draw: Draw, tree: Tree) -> None:
    """Synapses between two groups, or from a source to a group."""
    name, called = draw.new("s")
    groups = {group["name"]: group for group in tree["groups"]}
    parts = {part["name"]: groups[part["group"]] for part in tree["parts"]}
    firing = [of for of in groups if groups[of]["threshold"]] + [of["name"] for of in tree["sources"]]
    firing += [of for of in parts if parts[of]["threshold"]]
    if not firing:
        return
    source, target = draw.pick(*firing), draw.pick(*groups, *groups, *parts)
    entry: Tree = {
        "name": name,
        "called": called,
        "source": source,
        "target": target,
        "lines": [],
        "values": [],
        "paths": [],
        "index": None,
        "event": None,
        "order": None,
        "inactive": [],
    }
    tree["synapses"].append(entry)
    Connection(draw, entry, parts.get(source) or groups.get(source), parts.get(target) or groups[target], tree).fill()


class Connection:
    """Equations and pathways of synapses. The source is `None` if it has no variables."""

    def __init__(self, draw: Draw, entry: Tree, source: Tree | None, target: Tree, tree: Tree) -> None:
        self.draw, self.entry, self.source, self.target, self.tree = draw, entry, source, target, tree
        self.name = entry["name"]
        self.scale, self.per = f"*U_{target['name']}", f"/U_{target['name']}"

    def of(self, name: str) -> str:
        """A variable of the synapses by its short name."""
        return f"{self.name}.{name}"

    def post(self, name: str) -> str | None:
        """A variable of the target, if it has it and synapses can change it."""
        of = variable_of(self.target, name)
        if of is None or {"constant", "shared"} & set(of["flags"]):
            return None
        return f"{of['name']}_post"

    def add(self, name: str, kind: str, terms: list[str], unit: str, *flags: str) -> str:
        """Adds an equation."""
        self.entry["lines"].append(line(self.of(name), kind, terms, unit, *flags))
        return self.of(name)

    def weights(self) -> str:
        """The weight, which all pathways use."""
        draw, number = self.draw, self.draw.number
        is_constant = draw.one_in(6)
        self.add("w", "parameter", [], "1", "constant" if is_constant else "")
        terms = [number(0.1, 0.4), f"{number(0.01, 0.07)}*i", f"{number(0.01, 0.05)}*j"]
        if self.entry["index"]:
            terms.append(f"{number(0.02, 0.09)}*{self.entry['index']}")
        value: Tree = {"of": self.of("w"), "scale": "", "terms": draw.some(terms, len(terms))}
        if draw.one_in(3):
            value = {"of": self.of("w"), "scale": "", "ramp": [number(0.1, 0.4), number(0.01, 0.05)]}
        self.entry["values"].append(value)
        return self.of("w")

    def fill(self) -> None:
        """All of it."""
        draw, entry, number = self.draw, self.entry, self.draw.number
        self.connect()
        w = self.weights()
        before = list(self.inputs(w))
        paths = {"pre": draw.some(before, 2), "post": []}
        is_plastic = "constant" not in entry["lines"][0]["flags"]
        if draw.has(1.0):
            self.traces(w, paths, is_plastic)
        elif is_plastic and draw.has(0.6):
            paths["pre"].append(draw.pick(f"{w} *= {number(0.93, 0.99)}", f"{w} = clip({w} + {number(0.01, 0.05)}, 0, 1)"))
        if draw.has(0.7):
            self.continuous(w, paths)
        if draw.has(0.5):
            self.subexpression(w, paths)
        if is_plastic and self.source and draw.has(0.4):
            paths["pre"].append(f"{w} += {number(0.01, 0.05)}*{self.source['name']}.v_pre/U_{self.source['name']}")
        if self.source and variable_of(self.source, "x") and self.target is not self.source and draw.has(0.4):
            paths["pre"].append(f"{self.source['name']}.x_pre += {number(0.1, 0.5)}")
        if self.source and self.source["events"] and draw.has(1.5):
            entry["event"] = self.source["events"][0]["name"]
        self.add_path("pre", "pre", paths["pre"])
        if draw.has(0.7):
            self.add_path("also", "pre", draw.some(before, 2))
        if paths["post"] and self.target["threshold"]:
            self.add_path("post", "post", paths["post"])
        if draw.one_in(15):
            entry["order"] = draw.pick(-1, 1)

    def add_path(self, label: str, side: str, statements: list[str]) -> None:
        """A pathway."""
        draw = self.draw
        delay: Tree | None = None
        least = 1 if self.entry["event"] else 0
        if least or draw.has(1.5):
            kind = draw.pick("one", "one", "one", "each", "each", "each", "list")
            first = draw.number(0.1, 2.5)
            if kind == "one":
                delay = {"one": first}
            elif kind == "each":
                terms = draw.some([f"{draw.number(0.1, 0.6)}*i*ms", f"{draw.number(0.1, 0.6)}*j*ms"], 2)
                delay = {"terms": [f"{first}*ms", *terms]}
            else:
                delay = {"ramp": [first, draw.number(0.1, 0.5)]}
        order = draw.pick(-1, 1, 2) if draw.has(0.4) else None
        when = draw.pick("before_synapses", "after_synapses", "before_groups", "end") if draw.one_in(40) else None
        self.entry["paths"].append(
            {
                "name": self.of(label),
                "side": side,
                "statements": statements,
                "delay": delay,
                "order": order,
                "when": when,
            }
        )

    def inputs(self, w: str) -> list[str]:
        """Statements that change the target."""
        number, scale, per = self.draw.number, self.scale, self.per
        found = []
        v, g, x = self.post("v"), self.post("g"), self.post("x")
        if g:
            # Without the ending it is the same variable, but Brian 2 does not see that both names are one.
            g = g if self.draw.pick(True, False) else g.removesuffix("_post")
            found += [f"{g} += {w}{scale}", f"{g} -= {number(0.2, 0.6)}*{w}{scale}"]
            found.append(f"{g} = clip({g} + {w}{scale}, 0{scale}, {number(0.4, 0.9)}{scale})")
        if v:
            found += [f"{v} += {number(0.2, 0.6)}*{w}{scale}", f"{v} += {w}*({number(0.9, 1.5)}{scale} - {v})"]
        if x:
            found += [f"{x} += {w}", f"{x} += {number(0.5, 1.5)}", f"{x} = {number(0.6, 0.9)}*{x} + {w}"]
            found.append(f"y = {number(0.2, 0.7)}*{w}\n{x} += y")
            found.append(f"{x} += {w}*{v}{per}")
            found.append(f"{x} += {w}*int({v} > {number(0.2, 0.7)}{scale})")
            q = variable_of(self.target, "q") or variable_of(self.target, "c")
            if q:
                found.append(f"{x} += {w}*{q['name']}_post{per}")
            if self.target["refractory"]:
                found.append(f"{x} += {w}*int(not_refractory_post)")
        if (linked := variable_of(self.target, "L")) and x:
            unit = linked["unit"]
            found.append(f"{x} += {linked['name']}_post" + (f"/{unit}" if unit.startswith("U_") else ""))
        if n := self.post("n"):
            found.append(f"{n} += 1")
        return found or [f"{v} += {w}{scale}"]

    def traces(self, w: str, paths: dict[str, list[str]], is_plastic: bool) -> None:
        """Event-driven traces of both sides, which change the weight."""
        draw, number = self.draw, self.draw.number
        a, b = self.of("early"), self.of("late")
        self.add("early", "ode", [f"-{a}/({number(4, 15)}*ms)"], "1", "event-driven")
        paths["pre"].append(f"{a} += {number(0.1, 0.6)}")
        if draw.has(2):
            self.add("late", "ode", [f"-{b}/({number(4, 15)}*ms)"], "1", "event-driven")
            paths["post"].append(f"{b} -= {number(0.1, 0.4)}")
            if is_plastic:
                paths["pre"].append(f"{w} += {number(0.05, 0.3)}*{b}")
        if is_plastic:
            paths["post"].append(
                draw.pick(f"{w} += {number(0.05, 0.3)}*{a}", f"{w} = clip({w} + {number(0.05, 0.3)}*{a}, 0, {number(0.5, 1)})")
            )
        draw.random.shuffle(paths["pre"])

    def continuous(self, w: str, paths: dict[str, list[str]]) -> None:
        """A summed variable of the target, of the weights or of a clock-driven variable."""
        draw, number = self.draw, self.draw.number
        factors = [w]
        if self.source and draw.has(1.5):
            factors.append(f"{self.source['name']}.v_pre/U_{self.source['name']}")
        elif draw.pick(True, True, False):
            s = self.of("gate")
            c = [f"-{s}/({number(2, 9)}*ms)"]
            if draw.has(0.6):
                c.append(f"{number(0.05, 0.2)}*{self.target['name']}.v_post{self.per}/({number(2, 9)}*ms)")
            self.add("gate", "ode", c, "1", "clock-driven")
            paths["pre"].append(f"{s} += {number(0.1, 0.5)}")
            factors.append(s)
        if draw.has(0.8):
            factors.append(f"(1 - {number(0.1, 0.4)}*{self.target['name']}.v_post{self.per})")
        name = f"{self.target['name']}.r"
        if variable_of(self.target, "r"):
            return
        self.target["lines"].append(line(name, "parameter", [], "1"))
        first = variable_of(self.target, "v")
        first["terms"].append(f"{number(0.1, 0.4)}*{name}{self.scale}/({number(4, 9)}*ms)")
        if draw.has():
            self.target["values"].append({"of": name, "scale": "", "list": draw.numbers(0.1, 1, 5)})
        self.entry["lines"].append(line(f"{name}_post", "summed", ["*".join(factors)], "1"))

    def subexpression(self, w: str, paths: dict[str, list[str]]) -> None:
        """A subexpression of the synapses, which a pathway adds."""
        draw, number = self.draw, self.draw.number
        terms = [f"{number(0.2, 0.8)}*{w}", number(0.01, 0.1)]
        if draw.pick(True, False):
            terms.append(f"{number(0.05, 0.2)}*{self.target['name']}.v_post{self.per}")
        name = self.add("part", "subexpression", terms, "1", draw.pick("", "constant over dt"))
        x = self.post("x")
        paths["pre"].append(f"{x} += {name}" if x else f"{self.target['name']}.v_post += {number(0.1, 0.3)}*{name}{self.scale}")

    def connect(self) -> None:
        """Which neurons are connected."""
        draw, entry = self.draw, self.entry
        if draw.has(0.6):
            entry["index"] = "k"
        sizes = {of["name"]: of["size"] for of in (*self.tree["groups"], *self.tree["sources"])}
        sizes |= {of["name"]: of["stop"] - of["start"] for of in self.tree["parts"]}
        ends = [sizes[entry[side]] - 1 for side in ("source", "target")]
        pairs = [tuple(draw.between(0, end) for end in ends) for _ in range(draw.between(2, 5))]
        sides = f"i=[{', '.join(str(i) for i, _ in pairs)}], j=[{', '.join(str(j) for _, j in pairs)}]"
        entry["connect"] = draw.pick(
            "",
            "",
            "j='i', skip_if_invalid=True",
            "condition='i != j'" if entry["source"] == entry["target"] else "condition='(i + j) % 2 == 0'",
            "condition='i <= j', n=2",
            "j='k for k in range(i, i + 2)', skip_if_invalid=True",
            sides,
        )
        if entry["index"] and draw.pick(True, False):
            entry["connect"] = "n=2"
