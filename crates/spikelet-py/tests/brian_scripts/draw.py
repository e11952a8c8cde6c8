"""Draws scripts: choices that several parts use, and the script as a whole."""

from __future__ import annotations

import random
from typing import Any

Tree = dict[str, Any]

# The length of a step in ms.
STEP = 0.1


class Draw:
    """Choices of one script. The same seed and number draw the same script."""

    def __init__(self, seed: int, number: int) -> None:
        self.random = random.Random(f"{seed}/{number}")
        #: How much is in the script: probability of each feature that is not special.
        self.density = self.random.choice([0.12, 0.25, 0.4])
        self.ids: dict[str, int] = {}
        letters = list("abcdefghijklmnopqrstuvwxyz")
        self.random.shuffle(letters)
        self.letters = letters

    def has(self, weight: float = 1.0) -> bool:
        """Whether the script has something."""
        return self.random.random() < self.density * weight

    def one_in(self, count: int) -> bool:
        """Whether something rare happens."""
        return self.random.randrange(count) == 0

    def pick(self, *of: Any) -> Any:
        """One of several."""
        return self.random.choice(of)

    def some(self, of: list[Any], most: int) -> list[Any]:
        """Several of a list in its order, at least one if there is any."""
        count = self.random.randint(1, max(1, min(most, len(of)))) if of else 0
        chosen = set(self.random.sample(range(len(of)), count))
        return [one for index, one in enumerate(of) if index in chosen]

    def number(self, low: float, high: float) -> str:
        """A number with digits that meet no other by chance."""
        value = self.random.uniform(low, high)
        return f"{value:.3f}{self.random.choice('1379')}"

    def numbers(self, low: float, high: float, count: int) -> list[str]:
        """Several of them."""
        return [self.number(low, high) for _ in range(count)]

    def between(self, low: int, high: int) -> int:
        """A whole number, with both ends."""
        return self.random.randint(low, high)

    def steps(self, low: int, high: int) -> str:
        """A time in ms that is a whole number of steps."""
        return f"{self.between(low, high) * STEP:.1f}"

    def new(self, letter: str) -> tuple[str, str]:
        """An identifier, and a name in Brian 2 whose place in the alphabet is random."""
        self.ids[letter] = self.ids.get(letter, 0) + 1
        name = f"{letter}{self.ids[letter]}"
        return name, f"{self.letters.pop()}_{name}"


def line(name: str, kind: str, terms: list[str], unit: str, *flags: str) -> Tree:
    """An equation: the sum of its terms."""
    return {"name": name, "kind": kind, "terms": terms, "unit": unit, "flags": [flag for flag in flags if flag]}


def script(seed: int, number: int) -> Tree:
    """A script."""
    from . import groups, rest, synapses

    draw = Draw(seed, number)
    tree: Tree = {
        "explicit": draw.pick(True, False),
        "constants": [],
        "arrays": [],
        "groups": [],
        "sources": [],
        "parts": [],
        "synapses": [],
        "runners": [],
        "monitors": [],
        "operations": [],
        "runs": [],
    }
    if draw.has():
        groups.timed_array(draw, tree)
    for _ in range(draw.pick(1, 1, 2, 2, 3)):
        groups.neurons(draw, tree)
    if draw.has(1.5):
        groups.generator(draw, tree)
    if draw.has(0.4):
        groups.poisson(draw, tree)
    for group in tree["groups"]:
        if draw.has(0.7) and group["size"] > 2:
            groups.part(draw, tree, group)
    for group in tree["groups"]:
        if draw.has(0.6):
            groups.link(draw, tree, group)
    for _ in range(draw.pick(0, 1, 1, 2, 2, 3)):
        synapses.synapses(draw, tree)
    rest.runners(draw, tree)
    rest.monitors(draw, tree)
    rest.operations(draw, tree)
    rest.runs(draw, tree)
    return tree
