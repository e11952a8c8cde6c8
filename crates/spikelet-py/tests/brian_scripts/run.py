"""Runs scripts on both devices and compares what they show: a process that answers lines of JSON."""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import traceback
import warnings
from dataclasses import dataclass
from math import inf
from typing import Any

# Relative differences that are due to numbers of 24 bits.
ROUNDING = 1e-5
# Results are compared with this value, if all of theirs are smaller: where the exact result is 0, they are rounding errors of others.
LEAST = 1e-4
# Words with which an error names a way out.
WAY_OUT = re.compile(
    r"\b(use|write|add|make|record|let|set|define|remove|leave|call|give|name|store|choose|read|link|assign|declare|connect|"
    r"build|run|start|convert|replace|rename|put|change|move|list|keep|must|needs?|expected|allowed|instead)\b",
    re.IGNORECASE,
)

Result = dict[str, Any]


def main(precision: str) -> None:
    """Answers one line for each line."""
    answers = os.fdopen(os.dup(1), "w")
    # What scripts print is no answer.
    os.dup2(2, 1)
    judge = Judge(precision)
    for line in sys.stdin:
        answers.write(json.dumps(judge.compare(json.loads(line))) + "\n")
        answers.flush()


class Judge:
    """Both devices in one process."""

    def __init__(self, precision: str) -> None:
        import brian2

        import spikelet
        import spikelet.brian2 as device

        self.brian2, self.precision = brian2, precision
        self.error, self.notice = spikelet.SpikeletError, device.BrianNotice
        brian2.prefs.codegen.target = "numpy"
        brian2.BrianLogger.suppress_hierarchy("brian2")
        self.names: dict[str, Any] = {}
        exec("from brian2 import *", self.names)

    def run(self, body: str, device: str) -> Result:
        """What a script shows on a device, or how it ends."""
        import numpy as np

        brian2 = self.brian2
        brian2.set_device(device, **({"backend": "cpu", "precision": self.precision} if device == "spikelet" else {}))
        brian2.start_scope()
        brian2.defaultclock.dt = 0.1 * brian2.ms
        found: dict[str, Any] = {}

        def show(name: str, values: Any) -> None:
            found[name] = np.array(values, dtype=float)

        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            result: Result = {"found": found, "error": None}
            try:
                exec(compile(body, "<script>", "exec"), {**self.names, "__name__": "script", "show": show})
            except KeyboardInterrupt:
                raise
            except BaseException as failure:
                result["error"] = described(failure, self.error)
            result["notices"] = [str(of.message) for of in noticed if issubclass(of.category, self.notice)]
        brian2.Network._globally_running = False
        brian2.set_device("runtime")
        return result

    def compare(self, request: Result) -> Result:
        """The outcome of a script."""
        theirs = self.run(request["body"], "runtime")
        if theirs["error"]:
            return {"outcome": "invalid", "detail": theirs["error"]["text"]}
        if infinite(theirs["found"]):
            return {"outcome": "invalid", "detail": "values that are infinite or not a number"}
        if request.get("alone"):
            return {"outcome": "ended", "detail": ""}
        ours = self.run(request["body"], "spikelet")
        gc.collect()
        if request.get("all"):
            return {"outcome": "shown", "ours": plain(ours["found"]), "theirs": plain(theirs["found"])}
        if failure := ours["error"]:
            return {"outcome": outcome_of(failure), "detail": failure["text"], "trace": failure["trace"]}
        expected = {name: of for name, of in theirs["found"].items() if not re.search(request["ignore"], name)}
        different = differences(ours["found"], expected, request["within"])
        answer: Result = {"outcome": "equal", "detail": "", "shown": len(expected), "notices": ours["notices"]}
        answer["spikes"] = sum(len(of) for name, of in expected.items() if re.fullmatch(r"m\d+\.i", name))
        if different:
            answer["outcome"] = "noticed" if ours["notices"] else "differs"
            answer["detail"] = "; ".join(of.sentence for of in different[:6])
            answer["names"] = [of.name for of in different]
            answer["is_rounding"] = all(of.error < ROUNDING for of in different)
        return answer


def described(failure: BaseException, own: type) -> Result:
    """An exception: its text, and whether it is one of Spikelet's sentences."""
    # Brian 2 wraps what fails in its objects.
    cause = failure
    while not isinstance(cause, own) and cause.__cause__ is not None:
        cause = cause.__cause__
    is_ours = isinstance(failure, own)
    text = str(failure) if is_ours else f"{type(failure).__name__}: {failure}"
    if cause is not failure and not is_ours:
        text += f" (from {type(cause).__name__}: {cause})"
    return {"text": text, "is_ours": is_ours, "trace": "".join(traceback.format_exception(failure))[-2500:]}


def outcome_of(failure: Result) -> str:
    """Whether an error is a rejection. Values that become infinite here are finite in Brian 2."""
    if not failure["is_ours"]:
        return "internal"
    is_clean = WAY_OUT.search(failure["text"]) and not re.search(r"\bbecame (-?inf|NaN)", failure["text"])
    return "rejected" if is_clean else "unclear"


def infinite(found: dict[str, Any]) -> bool:
    """Whether some value is no finite number."""
    import numpy as np

    return any(not np.isfinite(of).all() for of in found.values())


@dataclass
class Difference:
    """A result that differs: by which part of its largest value, and a sentence."""

    name: str
    error: float
    sentence: str


def differences(ours: dict[str, Any], theirs: dict[str, Any], within: float) -> list[Difference]:
    """What differs by more than a part of the largest value of a result."""
    import numpy as np

    found = []
    for name, right in theirs.items():
        got = ours.get(name)
        if got is None:
            found.append(Difference(name, inf, f"{name} is missing"))
        elif got.shape != right.shape:
            found.append(Difference(name, inf, f"{name} has the shape {got.shape} instead of {right.shape}"))
        elif right.size:
            errors = np.abs(got - right) / max(np.abs(right).max(), LEAST)
            if not (errors <= within).all():
                at = np.unravel_index(np.argmax(np.where(np.isnan(errors), inf, errors)), right.shape)
                sentence = f"{name} differs by {errors[at]:.2g} of its largest value: {got[at]:.9g} instead of {right[at]:.9g}"
                found.append(Difference(name, float(errors[at]), sentence))
    return found


def plain(found: dict[str, Any]) -> dict[str, Any]:
    """Results as lists."""
    return {name: of.tolist() for name, of in found.items()}
