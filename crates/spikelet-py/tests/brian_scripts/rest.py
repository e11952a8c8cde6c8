"""Draws what runs beside groups and synapses: statements at regular times, monitors, operations, and the runs themselves."""

from __future__ import annotations

from .draw import Draw, Tree
from .groups import Cell, variable_of

START = ("before_start", "start", "after_start", "before_groups")
END = ("after_resets", "before_end", "end", "after_end")
MIDDLE = ("after_groups", "before_thresholds", "thresholds", "after_thresholds", "before_synapses")
INSIDE = ("groups", "synapses", "after_synapses", "before_resets", "resets")


def slot(draw: Draw) -> str | None:
    """A slot of a step; the usual one is `None`."""
    if not draw.has(1.5):
        return None
    return draw.pick(*START, *END) if not draw.one_in(30) else draw.pick(*INSIDE)


def runners(draw: Draw, tree: Tree) -> None:
    """Statements at regular times."""
    parts = {part["group"]: part["name"] for part in tree["parts"]}
    for group in tree["groups"]:
        while draw.has(0.6):
            if statements := Cell(draw, tree, group).statements(1.5, "runner"):
                of = parts.get(group["name"]) if draw.has() else None
                if of and any(".s =" in text for text in statements):
                    of = None
                runner(draw, tree, of or group["name"], statements)
    for entry in tree["synapses"]:
        if "constant" not in entry["lines"][0]["flags"] and draw.has(0.5):
            w, target = entry["lines"][0]["name"], entry["target"]
            choices = [
                f"{w} *= {draw.number(0.9, 0.99)}",
                f"{w} = clip({w} + {draw.number(0.01, 0.05)}, 0, {draw.number(0.4, 0.9)})",
            ]
            if any(line["name"].endswith(".early") for line in entry["lines"]):
                choices.append(f"{w} += {draw.number(0.01, 0.05)}*{entry['name']}.early")
            if target in {group["name"] for group in tree["groups"]}:
                choices.append(f"{w} += {draw.number(0.01, 0.05)}*{target}.v_post/U_{target}")
            runner(draw, tree, entry["name"], [draw.pick(*choices)])


def runner(draw: Draw, tree: Tree, of: str, statements: list[str]) -> None:
    """One of them."""
    name, called = draw.new("r")
    dt = draw.steps(2, 13) if draw.has(2) else None
    if draw.one_in(60):
        dt = "0.25"
    tree["runners"].append(
        {
            "name": name,
            "called": called,
            "of": of,
            "statements": statements,
            "when": slot(draw),
            "order": draw.pick(-1, 1) if draw.has(0.5) else None,
            "dt": dt,
        }
    )


def monitors(draw: Draw, tree: Tree) -> None:
    """Monitors: of spikes for all groups that fire, of states for some variables."""
    for group in tree["groups"]:
        if group["threshold"]:
            names = [line["name"] for line in group["lines"] if line["kind"] in ("ode", "parameter")]
            also = draw.some(names, 2) if draw.has(0.6) else []
            monitor(draw, tree, "spikes", group["name"], also)
        for event in group["events"]:
            if draw.has(2):
                names = [line["name"] for line in group["lines"] if line["kind"] == "ode"]
                monitor(draw, tree, "events", group["name"], draw.some(names, 1) if draw.one_in(20) else [], event["name"])
        if not draw.one_in(4):
            lines = draw.some(group["lines"], 4)
            state(draw, tree, group["name"], [line["name"] for line in lines])
        if draw.has(0.3) and group["threshold"]:
            monitor(draw, tree, "rate", group["name"], [])
    for part in tree["parts"]:
        if draw.has():
            group = next(of for of in tree["groups"] if of["name"] == part["group"])
            if group["threshold"] and draw.pick(True, False):
                monitor(draw, tree, "spikes", part["name"], [])
            else:
                state(draw, tree, part["name"], [line["name"] for line in draw.some(group["lines"], 2)])
    for entry in tree["synapses"]:
        if draw.has(1.2):
            lines = [line for line in entry["lines"] if line["kind"] != "summed" and "event-driven" not in line["flags"]]
            state(draw, tree, entry["name"], [line["name"] for line in draw.some(lines, 3)])


def state(draw: Draw, tree: Tree, of: str, names: list[str]) -> None:
    """A state monitor."""
    entry = monitor(draw, tree, "state", of, names)
    entry["when"] = draw.pick(*MIDDLE) if of[0] != "s" and draw.has(0.5) else slot(draw)
    entry["order"] = draw.pick(-1, 1) if draw.has(0.5) else None
    entry["dt"] = draw.steps(2, 9) if draw.has(0.8) else None
    entry["record"] = draw.pick("True", "True", "True", "[0]")


def monitor(draw: Draw, tree: Tree, kind: str, of: str, names: list[str], event: str | None = None) -> Tree:
    """Any monitor."""
    name, called = draw.new("m")
    entry: Tree = {"name": name, "called": called, "kind": kind, "of": of, "variables": names}
    if event:
        entry["event"] = event
    tree["monitors"].append(entry)
    return entry


def operations(draw: Draw, tree: Tree) -> None:
    """Python code during a run."""
    while draw.has(0.35):
        name, called = draw.new("o")
        group = draw.pick(*tree["groups"])
        if statements := changes(draw, tree, group):
            when = draw.pick("start", "end", "start") if draw.has() else None
            tree["operations"].append(
                {"name": name, "called": called, "statements": draw.some(statements, 2), "dt": draw.steps(7, 31), "when": when}
            )


def changes(draw: Draw, tree: Tree, group: Tree) -> list[str]:
    """Statements of Python that change values."""
    name, number, scale = group["name"], draw.number, f"*U_{group['name']}"
    found = []
    texts = {
        "v": [
            f"{name}.v[0] = {number(0.1, 0.6)}{scale}",
            f"{name}.v = '{number(0.1, 0.3)}{scale} + {number(0.01, 0.1)}{scale}*i'",
        ],
        "I": [
            f"{name}.I = {number(0.9, 2.1)}{scale}",
            f"{name}.I[:] *= {number(0.8, 1.2)}",
            f"{name}.I[0] += {number(0.1, 0.5)}{scale}",
        ],
        "x": [f"{name}.x[:] += {number(0.3, 0.8)}"],
        "g": [f"{name}.g = {number(0.1, 0.5)}{scale}"],
        "u": [f"{name}.u[0] = {number(0.1, 0.5)}{scale}"],
        "n": [f"{name}.n = {draw.between(0, 4)}"],
        "b": [f"{name}.b[:] = {draw.pick('True', 'False')}"],
        "s": [f"{name}.s = {number(0.1, 0.5)}{scale}"],
        "tau": [f"{name}.tau[0] = {number(4, 12)}*ms", f"{name}.tau = {number(4, 12)}*ms"],
        "th": [f"{name}.th[:] = {number(0.8, 1.2)}{scale}"],
    }
    for short, choices in texts.items():
        of = variable_of(group, short)
        if of is not None and "constant" not in of["flags"]:
            found.append(draw.pick(*choices))
    for entry in tree["synapses"]:
        w = entry["lines"][0]
        if "constant" not in w["flags"]:
            number_of = draw.number
            found.append(
                draw.pick(
                    f"{w['name']}[:] *= {number_of(0.7, 1.6)}",
                    f"{w['name']} = {number_of(0.1, 0.7)}",
                    f"{w['name']}[0] = {number_of(0.1, 0.9)}",
                    f"{w['name']} = '{number_of(0.1, 0.5)} + {number_of(0.01, 0.1)}*j'",
                )
            )
    return found


def runs(draw: Draw, tree: Tree) -> None:
    """One run or several, with changes between them."""
    count = draw.pick(1, 1, 2, 2, 3)
    stored = draw.has(0.3) and count > 1
    for number in range(count):
        before: list[str] = []
        if number:
            group = draw.pick(*tree["groups"])
            if draw.has(2.5):
                before += draw.some(changes(draw, tree, group), 3)
            for constant in tree["constants"]:
                if draw.has():
                    before.append(
                        f"{constant['name']} = {draw.number(4, 13) + '*ms' if 'ms' in constant['value'] else draw.number(0.7, 2.1)}"
                    )
            if tree["synapses"] and draw.one_in(12):
                before.append(f"{draw.pick(*tree['synapses'])['name']}.active = False")
            if draw.one_in(50):
                before.append(f"{draw.pick(*tree['monitors'])['name']}.active = False" if tree["monitors"] else "pass")
            for entry in tree["synapses"]:
                for path in entry["paths"]:
                    if path["delay"] and "one" not in path["delay"] and draw.one_in(12):
                        before.append(f"{path['name']}.delay = {draw.number(0.3, 2)}*ms")
            if stored and number == count - 1:
                before.insert(0, "restore('a')")
        if stored and number == count - 2:
            before.append("store('a')")
        tree["runs"].append({"before": before, "time": draw.steps(11, 110)})
