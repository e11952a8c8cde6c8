"""Runs random scripts of Brian 2 by `set_device("spikelet")` and by Brian 2 with NumPy, and writes what differs as small scripts.

    python tests/random_brian.py --scripts 300 --seed 1 --out DIR

Scripts draw no random numbers when they run. Spikes must be in the same steps, and recorded and final values agree to 1e-9 of the largest one of
their variable (1e-5 in f32). A script that Spikelet rejects with a sentence that names a way out is counted with its sentence; a notice that
says what differs is, too. Anything else differs: it is made smaller and written with both results."""

from __future__ import annotations

import argparse
import json
import queue
import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from brian_scripts import run
from brian_scripts.draw import Tree, script
from brian_scripts.sentences import plain, reasons
from brian_scripts.shrink import shrink
from brian_scripts.text import HEADER, body

HERE = Path(__file__).resolve()
# In f32 a step rounds by 3e-8, and the steps of a time constant add up.
WITHIN = {"f64": 1e-9, "f32": 1e-5}
#: Outcomes that are differences, in words.
DIFFERENT = {
    "differs": "other results",
    "unclear": "rejected without a way out",
    "internal": "an error inside",
    "crash": "the process ended",
    "late": "it did not end",
}


class Worker:
    """A process that runs scripts one after the other. It is started again after a crash or a script that does not end."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.precision, self.limit, self.ignore = arguments.precision, arguments.limit, arguments.ignore
        self.within = arguments.within or WITHIN[self.precision]
        self.process: subprocess.Popen[str] | None = None
        self.asked = 0

    def start(self) -> subprocess.Popen[str]:
        """A process, and a thread that reads its answers."""
        command = [sys.executable, str(HERE), "--worker", "--precision", self.precision]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        answers: queue.Queue[str] = queue.Queue()

        def read() -> None:
            for line in process.stdout or ():
                answers.put(line)
            answers.put("")

        threading.Thread(target=read, daemon=True).start()
        self.process, self.answers, self.asked = process, answers, 0
        return process

    def stop(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, text: str, **options: Any) -> dict[str, Any]:
        """The outcome of a script."""
        # Brian 2 keeps what it has compiled.
        if self.asked >= 200:
            self.stop()
        process = self.process or self.start()
        self.asked += 1
        request = {"body": text, "within": self.within, "ignore": self.ignore, **options}
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            # The first script also waits for the imports.
            answer = self.answers.get(timeout=self.limit + (60 if self.asked == 1 else 0))
        except queue.Empty:
            self.stop()
            if not options and self.ask(text, alone=True)["outcome"] == "late":
                return {"outcome": "invalid", "detail": f"more than {self.limit:g} s in Brian 2 itself"}
            return {"outcome": "late", "detail": f"more than {self.limit:g} s"}
        except OSError:
            answer = ""
        if not answer:
            code = process.wait()
            self.process = None
            return {"outcome": "crash", "detail": f"exit code {code}"}
        return json.loads(answer)


def made_smaller(worker: Worker, tree: Tree, outcome: dict[str, Any], most: int) -> Tree:
    """The smallest script with the same outcome."""
    about = kind_of(outcome)

    def stays(smaller: Tree) -> bool:
        try:
            text = body(smaller)
        except (KeyError, IndexError, TypeError, AttributeError):
            return False
        return kind_of(worker.ask(text)) == about

    return shrink(tree, stays, most)


def kind_of(answer: dict[str, Any]) -> tuple[Any, ...]:
    """What must stay while a script is made smaller: the outcome, and of errors the sentence without its names and numbers."""
    if answer["outcome"] == "differs":
        return ("differs", answer["is_rounding"])
    return (answer["outcome"], plain(answer["detail"])[:60])


def written(worker: Worker, path: Path, tree: Tree, answer: dict[str, Any]) -> None:
    """Writes a script with both results."""
    text = body(tree)
    both = worker.ask(text, all=True)
    comments = [f"# {DIFFERENT[answer['outcome']]}: {line}" for line in answer["detail"].splitlines()]
    comments += [f"# {line}" for line in answer.get("trace", "").splitlines()[-12:]]
    if both["outcome"] == "shown":
        for name in answer.get("names", []):
            for side, values in (("Spikelet", both["ours"]), ("Brian 2 ", both["theirs"])):
                comments.append(f"# {side} {name}: {json.dumps(values.get(name))[:400]}")
    path.write_text("\n".join(comments) + "\n" + HEADER + text)
    path.with_suffix(".json").write_text(json.dumps(tree))


def check(arguments: argparse.Namespace) -> int:
    """Runs all scripts; returns how many differ."""
    worker = Worker(arguments)
    counts: Counter[str] = Counter()
    sentences: Counter[str] = Counter()
    spikes = values = smaller = 0
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    for number in range(arguments.first, arguments.first + arguments.scripts):
        tree = script(arguments.seed, number)
        if re.search(arguments.skip, body(tree)):
            counts["skipped"] += 1
            continue
        answer = worker.ask(body(tree))
        outcome = answer["outcome"]
        counts[outcome] += 1
        spikes, values = spikes + answer.get("spikes", 0), values + answer.get("shown", 0)
        if outcome in ("rejected", "noticed", "invalid"):
            for sentence in answer.get("notices") or reasons(answer["detail"]):
                sentences[f"{outcome}: {plain(sentence)}"] += 1
        if outcome in DIFFERENT:
            print(f"{number}: {DIFFERENT[outcome]}: {answer['detail'][:300]}", flush=True)
            if arguments.out:
                if smaller < arguments.shrink:
                    smaller += 1
                    tree = made_smaller(worker, tree, answer, 5 if outcome == "late" else arguments.tries)
                    answer = worker.ask(body(tree))
                    print(f"    smaller: {answer['detail'][:300]}", flush=True)
                written(worker, arguments.out / f"{arguments.seed}-{number}.py", tree, answer)
        if arguments.verbose and outcome not in DIFFERENT:
            print(f"{number}: {outcome} {answer['detail'][:200]}", flush=True)
    worker.stop()
    for sentence, count in sentences.most_common():
        print(f"{count:4} times {sentence}")
    different = sum(counts[of] for of in DIFFERENT)
    print(
        f"random scripts of Brian 2 in {arguments.precision}: {arguments.scripts} from seed {arguments.seed}: {counts['equal']} equal, "
        f"{counts['rejected']} rejected with a sentence, {counts['noticed']} with a notice that says why, {different} differ, "
        f"{counts['invalid'] + counts['skipped']} not compared; {spikes} spikes and {values} arrays of values in those that ran"
    )
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scripts", type=int, default=300, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first script of the seed")
    parser.add_argument("--precision", choices=sorted(WITHIN), default="f64")
    parser.add_argument("--out", type=Path, help="a folder for the scripts that differ")
    parser.add_argument("--shrink", type=int, default=5, help="how many of these are made smaller")
    parser.add_argument("--tries", type=int, default=250, help="scripts that are tried to make one smaller")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for a script on both devices")
    parser.add_argument("--within", type=float, help="the largest relative difference of values")
    parser.add_argument("--ignore", default="$^", help="names of results, as a regular expression, that are known to differ")
    parser.add_argument("--skip", default="$^", help="texts of scripts, as a regular expression, that are known to differ")
    parser.add_argument("--show", action="store_true", help="prints the scripts instead of running them")
    parser.add_argument("--verbose", action="store_true", help="a line for each script")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        run.main(arguments.precision)
        return 0
    if arguments.show:
        for number in range(arguments.first, arguments.first + arguments.scripts):
            print(HEADER + body(script(arguments.seed, number)))
        return 0
    return 1 if check(arguments) else 0


if __name__ == "__main__":
    sys.exit(main())
