"""Makes a script smaller as long as its outcome stays: parts are removed one by one, with all that depends on them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from .draw import Tree

# What an entry cannot do without.
NEEDED = {"name", "of", "source", "target", "group", "to", "event_of", "condition"}
# Keys that can be left out, with what stands for it.
LEFT_OUT: dict[str, Any] = {
    "refractory": None, "dt": None, "when": None, "order": None, "delay": None, "index": None, "event": None, "period": None,
    "unit": "1", "method": "euler", "explicit": True, "record": "True", "connect": "",
}  # fmt: skip
NAME = re.compile(r"\b[a-z]\d+(?:\.[A-Za-z]\w*)?")
# Places in a tree: keys and indices.
Place = tuple[Any, ...]


def names_of(node: Any) -> set[str]:
    """The names that a part of a tree defines."""
    if isinstance(node, dict):
        own = {node["name"]} if "name" in node and node.get("kind") != "summed" else set()
        return own.union(*(names_of(of) for of in node.values()))
    return set().union(*(names_of(of) for of in node)) if isinstance(node, list) else set()


def mentions(text: str, dead: set[str]) -> bool:
    """Whether a text names something that is gone."""
    if any(f"U_{name}" in text for name in dead if "." not in name):
        return True
    for name in NAME.findall(text):
        for of in (name, re.sub(r"_(pre|post)$", "", name), name.split(".")[0]):
            if of in dead:
                return True
    # Constants stand without an owner.
    return any(re.search(rf"\b{name}\b", text) for name in dead if re.fullmatch(r"[kf]\d+", name))


def without(node: Any, dead: set[str]) -> Any:
    """A part of a tree without what names something that is gone; `None` if nothing remains of it."""
    if isinstance(node, str):
        return None if mentions(node, dead) else node
    if isinstance(node, list):
        return [kept for of in node if (kept := without(of, dead)) is not None]
    if not isinstance(node, dict):
        return node
    found = {}
    for key, of in node.items():
        kept = without(of, dead) if of is not None else None
        if kept is None and of is not None and (key in NEEDED or (key == "unit" and of.startswith("U_"))):
            return None
        if key in ("terms", "variables") and of and not kept:
            return None
        found[key] = kept
    if (found.get("kind") == "state" and not found["variables"]) or (found.get("kind") == "events" and not found["event"]):
        return None
    return found


def settled(tree: Tree, dead: set[str]) -> Tree:
    """A tree from which names have gone, and then all that depended on those."""
    while dead:
        before = names_of(tree)
        tree = without(tree, dead)
        dead = before - names_of(tree) - dead
    return tree


def places(node: Any, at: Place = ()) -> Iterator[Place]:
    """The elements of all lists that can be removed, the largest first."""
    here, deeper = [], []
    if isinstance(node, dict):
        for key, of in node.items():
            if key not in ("rows", "list", "ramp", "rates") and isinstance(of, (dict, list)):
                deeper.append((of, (*at, key)))
    elif isinstance(node, list):
        here = [(*at, index) for index in range(len(node) - 1, -1, -1)]
        deeper = [(of, (*at, index)) for index, of in enumerate(node) if isinstance(of, (dict, list))]
    yield from here
    for of, place in deeper:
        if not (place and isinstance(place[-1], str) and place[-1] == "index"):
            yield from places(of, place)


def part(tree: Any, place: Place) -> Any:
    """What is at a place."""
    for key in place:
        tree = tree[key]
    return tree


def candidates(tree: Tree) -> Iterator[Tree]:
    """Smaller trees."""
    for place in sorted(places(tree), key=len):
        smaller = copy.deepcopy(tree)
        owner = part(smaller, place[:-1])
        # A single run, group or term is all there is.
        if place[-2] == "runs" and len(owner) == 1:
            continue
        gone = names_of(owner[place[-1]])
        del owner[place[-1]]
        if not owner and (place[-2] == "terms" or part(tree, place[:-2]).get("kind") == "state"):
            continue
        yield settled(smaller, gone)
    for place in keys(tree):
        smaller = copy.deepcopy(tree)
        part(smaller, place[:-1])[place[-1]] = LEFT_OUT[place[-1]]
        yield smaller
    for kind in ("groups", "sources"):
        for index, of in enumerate(tree[kind]):
            for size in (1, 2, of["size"] - 1):
                if 0 < size < of["size"]:
                    smaller = copy.deepcopy(tree)
                    smaller[kind][index]["size"] = size
                    yield smaller
    for index, of in enumerate(tree["runs"]):
        for share in (0.25, 0.5, 0.8):
            if (time := round(float(of["time"]) * share, 1)) >= 0.1 and time < float(of["time"]):
                smaller = copy.deepcopy(tree)
                smaller["runs"][index]["time"] = f"{time:.1f}"
                yield smaller


def keys(node: Any, at: Place = ()) -> Iterator[Place]:
    """Keys that can be left out and are not."""
    if isinstance(node, dict):
        for key, of in node.items():
            if key in LEFT_OUT and of != LEFT_OUT[key] and not (key == "unit" and of not in ("volt",)):
                yield (*at, key)
            if isinstance(of, (dict, list)):
                yield from keys(of, (*at, key))
    elif isinstance(node, list):
        for index, of in enumerate(node):
            yield from keys(of, (*at, index))


def shrink(tree: Tree, stays: Callable[[Tree], bool], most: int) -> Tree:
    """The smallest tree that is found in a number of tries."""
    tries, at, is_smaller = 0, 0, False
    options = list(candidates(tree))
    while tries < most:
        if at >= len(options):
            # What was needed before may no longer be.
            if not is_smaller:
                break
            options, at, is_smaller = list(candidates(tree)), 0, False
            continue
        tries += 1
        if stays(options[at]):
            tree, is_smaller = options[at], True
            options = list(candidates(tree))
        else:
            at += 1
    return tree
