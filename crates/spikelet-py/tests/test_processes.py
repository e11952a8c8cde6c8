"""Signals, threads and processes."""

import copy
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import spikelet
from spikelet import Simulation, SpikeletError, Sweep

LONG_MS = 1e7


def interrupt_after(seconds: float) -> None:
    """Sends this process what Ctrl-C and the button of a notebook send."""
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_an_interrupted_run_keeps_what_it_recorded_and_continues():
    simulation = Simulation("cuba", backend="cpu")
    interrupt_after(0.3)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        simulation.run(LONG_MS)
    assert time.monotonic() - started < 10
    reached = simulation.time_ms
    assert 0 < reached < LONG_MS and len(simulation.trace("E.v").times) == simulation.step
    simulation.run(10)
    whole = Simulation("cuba", backend="cpu")
    whole.run(reached + 10)
    assert simulation.report()["spikes_hash"] == whole.report()["spikes_hash"]


def test_an_exception_of_the_progress_ends_the_run():
    simulation = Simulation("cuba", backend="cpu")

    def stop(time_ms: float, end_ms: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        simulation.run(LONG_MS, progress=stop)
    assert 0 < simulation.time_ms < LONG_MS


def test_an_interrupted_sweep_has_its_finished_trials():
    # So many that the signal arrives before the last one, whatever else the machine does.
    sizes = list(range(3200, 3224))
    sweep = Sweep("cuba", {"E.size": sizes}, trials=1, duration_ms=3000, backend="cpu")

    def stop(done: float, count: float) -> None:
        if done >= 1:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sweep.run(progress=stop)
    before = sweep.table["E.size"].tolist()
    assert before == sizes[: len(before)] and 0 < len(before) < len(sizes)
    sweep.run()
    assert sweep.table["E.size"].tolist() == sizes


def test_an_interrupted_build_raises_at_once():
    interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        while True:
            Simulation("pd14", backend="cpu", threads=1)


def test_simulations_run_in_threads():
    simulations = [Simulation("cuba", backend="cpu", threads=1) for _ in range(3)]
    threads = [threading.Thread(target=simulation.run, args=(100,)) for simulation in simulations]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len({simulation.report()["spikes_hash"] for simulation in simulations}) == 1


def test_a_simulation_is_not_copied(simulation):
    with pytest.raises(TypeError, match="send its network and snapshot"):
        copy.deepcopy(simulation)


def test_one_simulation_is_used_by_several_threads(simulation):
    # Calls wait for each other.
    threads = [threading.Thread(target=simulation.run, args=(10,)) for _ in range(4)]
    [thread.start() for thread in threads]
    simulation.get("driver.v")
    [thread.join() for thread in threads]
    assert simulation.time_ms == 40


def test_other_threads_work_while_it_runs():
    simulation = Simulation("cuba", backend="cpu", threads=1)
    counted = 0
    thread = threading.Thread(target=simulation.run, args=(2000,))
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_says_that_threads_were_not_copied(simulation):
    simulation.run(10)
    context = multiprocessing.get_context("fork")
    results = context.Queue()

    def child() -> None:
        try:
            simulation.run(10)
        except SpikeletError as error:
            results.put(str(error))
        own = Simulation("cuba", backend="cpu")
        own.run(10)
        results.put(own.report()["spikes_hash"])

    process = context.Process(target=child)
    process.start()
    sentence, of_child = results.get(timeout=60), results.get(timeout=60)
    process.join()
    assert "is a fork, and its threads were not copied" in sentence
    own = Simulation("cuba", backend="cpu")
    own.run(10)
    assert of_child == own.report()["spikes_hash"] and process.exitcode == 0
    simulation.run(10)


def test_a_process_ends_while_it_runs():
    # A daemon thread is in the simulation when the interpreter ends.
    program = (
        "import spikelet, threading, time\n"
        "s = spikelet.Simulation('cuba', backend='cpu')\n"
        "threading.Thread(target=s.run, args=(1e7,), daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print('over')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "over"), done.stderr


def test_the_level_of_the_processor_is_limited():
    program = "import spikelet; s = spikelet.Simulation('cuba', backend='cpu'); s.run(50); print(s.report()['spikes_hash'])"
    hashes = set()
    for level in ("plain", ""):
        environment = {**os.environ, **({"SPIKELET_LEVEL": level} if level else {})}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60)
        hashes.add(done.stdout.strip())
    assert len(hashes) == 1 and hashes != {""}
    wrong = subprocess.run(
        [sys.executable, "-c", "import spikelet"],
        capture_output=True,
        text=True,
        env={**os.environ, "SPIKELET_LEVEL": "huge"},
        timeout=60,
    )
    assert wrong.returncode == 1 and "SPIKELET_LEVEL" in wrong.stderr


def test_the_import_is_quick_and_needs_numpy_alone():
    program = (
        "import sys, time; import numpy; start = time.perf_counter(); import spikelet; took = time.perf_counter() - start\n"
        "heavy = {'pandas', 'neo', 'matplotlib', 'brian2', 'pyNN', 'anywidget', 'tqdm'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
    assert spikelet.__version__
