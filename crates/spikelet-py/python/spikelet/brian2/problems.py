"""What of a Brian 2 network Spikelet cannot run: collected, so that one error lists all reasons."""

from __future__ import annotations

from dataclasses import dataclass


class BrianNotice(UserWarning):
    """What differs between Brian 2 and Spikelet in a network that both can run."""


def error(message: str) -> Exception:
    """A `spikelet.SpikeletError`. It is imported when an error is made: networks are converted without the engine."""
    try:
        from spikelet import SpikeletError
    except ImportError:
        return ValueError(message)
    return SpikeletError(message)


@dataclass(frozen=True)
class Problem:
    """One reason: in which object and place, what, and the way out."""

    object: str
    place: str
    reason: str
    way_out: str

    def __str__(self) -> str:
        place = f", {self.place}" if self.place else ""
        return f"`{self.object}`{place}: {self.reason}. {self.way_out}"


class Problems:
    """All reasons against a network, and notices of what is not exactly as in Brian 2."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self.notices: list[Problem] = []

    def add(self, object: str, place: str, reason: str, way_out: str) -> None:
        """Adds a reason, unless it is in the list."""
        problem = Problem(object, place, reason, way_out)
        if problem not in self.found:
            self.found.append(problem)

    def note(self, object: str, place: str, reason: str, way_out: str) -> None:
        """Adds a notice, unless it is in the list."""
        problem = Problem(object, place, reason, way_out)
        if problem not in self.notices:
            self.notices.append(problem)

    def raise_all(self) -> None:
        """Raises one error with all reasons, if there are any."""
        if self.found:
            count = "one reason" if len(self.found) == 1 else f"{len(self.found)} reasons"
            lines = "\n".join(f"- {problem}" for problem in self.found)
            raise error(f"Spikelet cannot run this Brian 2 network, for {count}:\n{lines}")
