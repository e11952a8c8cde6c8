"""The widget in JupyterLab and Notebook 7."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from hosts import PACKAGE, chromium, jupyter, wait
from nbclient import NotebookClient
from page import Page

#: Spikes of the balanced network in its first 200 ms, as of the command line.
SPIKES = 4616

PAIR = """
import numpy as np
network = {
    "name": "two cells", "dt_ms": 0.1, "duration_ms": 100,
    "populations": [
        {"name": "driver", "size": 3, "equations": "dv/dt = (E - v)/tau : volt", "threshold": "v > -50*mV", "reset": "v = -65*mV",
         "parameters": {"E": "-45 mV", "tau": "20 ms"}, "initial": {"v": "-65 mV"}},
        {"name": "listener", "size": 2, "model": "lif_exp"}],
    "projections": [{"pre": "driver", "post": "listener", "pairs": {"file": "edges.npz"}, "on_pre": "ge_post += w"}]}
edges = {"pre": np.array([0, 1, 2]), "post": np.array([0, 1, 0]), "w [mV]": np.array([8.0, 8.0, 8.0])}
pair = Widget(network, files={"edges.npz": edges}, plots=["raster", "driver.v[0]"], height=240)
pair
"""

WRONG = """
cell = {"name": "A", "size": 1, "equations": "dv/dt = v/tua : volt", "parameters": {"tau": "9 ms"}}
wrong = Widget({"name": "wrong", "dt_ms": 0.1, "duration_ms": 100, "populations": [cell], "projections": []})
wrong
"""

CELLS = [
    "from spikelet import Widget\n"
    "import json\n"
    "parts = []\n"
    "send_part = Widget._send_part\n"
    "Widget._send_part = lambda self, name, part: (parts.append((name, part)), send_part(self, name, part))[1]",
    'cuba = Widget("cuba", plots="raster rates", parameters=["E.taum", "EE.we"])\ncuba',
    "spikes = await cuba.run(200)\n"
    "print(json.dumps([len(spikes), str(spikes.neurons.dtype), float(spikes.times[-1]), spikes.end_ms, cuba.status, cuba.time_ms]))",
    PAIR.strip(),
    "await pair.run()\nprint(json.dumps([len(pair.spikes_of('driver')), pair.spikes_of('driver').neurons.tolist()[:3], pair.time_ms]))",
    WRONG.strip(),
    "print(json.dumps([wrong.status, wrong.error]))",
    "print(json.dumps(cuba.values))",
    'cuba.values["E.taum"] = "12 ms"',
    'cuba.values["E.taum"] = "12 mV"',
    "print(json.dumps([cuba.error, len(parts), len(set(parts)), len({part for name, part in parts if name == 'engine'})]))",
    "cuba",
]  # fmt: skip


class Notebook(Page):
    """An open notebook."""

    def open(self, address: str) -> None:
        self.driver.get(address)
        ready = "return window.jupyterapp?.shell.currentWidget?.context?.isReady && document.querySelectorAll('.jp-CodeCell').length > 2"
        wait(lambda: self.run(ready), "the notebook to open")
        wait(
            lambda: self.run("return jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"),
            "the kernel",
        )

    def cell(self, place: int) -> str:
        """Runs a cell; its text output, when it has ended."""
        self.run(
            "const { content } = jupyterapp.shell.currentWidget; content.activeCellIndex = arguments[0]; content.deselectAll();"
            "window.cellDone = false; jupyterapp.commands.execute('notebook:run-cell').then(() => { window.cellDone = true; });",
            place,
        )
        wait(lambda: self.run("return window.cellDone"), f"cell {place} to end", 60)
        return self.output(place)

    def output(self, place: int) -> str:
        texts = """
        const { outputs } = jupyterapp.shell.currentWidget.content.widgets[arguments[0]].model;
        const all = Array.from({ length: outputs.length }, (_, k) => outputs.get(k).toJSON());
        return all.map(({ text, evalue }) => text ?? evalue ?? "").join("");
        """
        return self.run(texts, place)

    def answer(self, place: int) -> Any:
        text = self.cell(place)
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise AssertionError(f"cell {place} printed {text!r}") from None

    def command(self, name: str, **arguments: Any) -> None:
        self.driver.execute_async_script(
            "const done = arguments[2]; jupyterapp.commands.execute(arguments[0], arguments[1]).then(() => done(), (error) => done(String(error)));",
            name,
            arguments,
        )


def runs(notebook: Notebook) -> Any:
    """A network runs, draws, and its spikes arrive."""
    notebook.cell(0)
    notebook.cell(1)
    (network,) = notebook.networks()
    notebook.state(network, "paused")
    count, kind, last, *rest = notebook.answer(2)
    assert (count, kind) == (SPIKES, "uint32") and 199 < last < 200, (count, kind, last)
    assert rest == [200.0, "paused", 200.0], rest
    assert notebook.drawn(network) > 1000
    return network


def slides(notebook: Notebook, network: Any) -> None:
    """Values go both ways; one that is refused is reported."""
    notebook.slide(network, "E.taum", 25)
    wait(lambda: notebook.answer(7)["E.taum"] == 25, "the value of the slider in Python", 20)
    notebook.cell(8)
    wait(lambda: notebook.slider(network, "E.taum") == 12, "the value of Python in the slider", 20)
    notebook.cell(9)
    error = wait(lambda: notebook.answer(10)[0], "the error of a wrong unit", 20)
    assert "mV" in error, error
    notes = notebook.run(
        "return [...document.querySelectorAll('.spikelet-widget [data-kind=problem]')].map((one) => one.textContent)"
    )
    assert notes == [error], notes
    notebook.cell(8)


def check_lab(folder: Path, pictures: Path | None) -> None:
    with jupyter(folder, "jupyterlab", CELLS) as address, chromium(folder) as driver:
        lab = Notebook(driver, pictures)
        lab.open(address)
        lab.command("application:toggle-left-area")
        network = runs(lab)
        lab.picture("lab-light")
        slides(lab, network)
        _second(lab)
        _refused(lab)
        _, asked, once, engine = lab.answer(10)
        assert asked == once and engine > 3, "the engine is sent once per page"
        _again(lab)
        _twice(lab)
        _dark(lab)
        _reload(lab)
        lab.complain()


def check_notebook(folder: Path, pictures: Path | None) -> None:
    with jupyter(folder, "notebook", CELLS) as address, chromium(folder) as driver:
        notebook = Notebook(driver, pictures)
        notebook.open(address)
        slides(notebook, runs(notebook))
        notebook.picture("notebook")
        notebook.complain()


def _second(lab: Notebook) -> None:
    """Another network in the same notebook, with a file of edges from arrays."""
    lab.cell(3)
    _, pair = lab.networks(2)
    lab.state(pair, "paused")
    count, neurons, time_ms = lab.answer(4)
    # The driver reaches its threshold after 20 ms · ln 4 = 27.7 ms, three times in 100 ms.
    assert (count, neurons, time_ms) == (9, [0, 1, 2], 100.0), (count, neurons, time_ms)
    lab.run("arguments[0].scrollIntoView({ block: 'center' })", pair)
    lab.picture("lab-second")


def _refused(lab: Notebook) -> None:
    lab.cell(5)
    wrong = lab.networks(3)[2]
    lab.run("arguments[0].scrollIntoView({ block: 'center' })", wrong)
    lab.state(wrong, "failed")
    status, error = wait(lambda: (answer := lab.answer(6))[1] and answer, "the error in Python", 20)
    assert status == "failed" and "tua" in error, (status, error)
    assert error in lab.text(wrong)
    lab.picture("lab-refused")


def _again(lab: Notebook) -> None:
    """A cell that runs again disposes its former network."""
    lab.run("window.before = arguments[0]", lab.networks(3)[0])
    lab.cell(1)
    wait(lambda: not lab.run("return before.isConnected"), "the former element to go")
    assert lab.run("return before.simulation === null && before.state === 'idle'")
    now = lab.networks(3)[0]
    lab.run("arguments[0].scrollIntoView({ block: 'center' })", now)
    lab.state(now, "paused")
    assert lab.answer(2)[0] == SPIKES


def _twice(lab: Notebook) -> None:
    """A widget in two outputs runs in the last one; the other can take it back."""
    lab.cell(11)
    assert len(lab.networks(3)) == 3
    button = wait(lambda: lab.elements(".spikelet-widget [data-kind=elsewhere] button"), "the sentence in the first output")[0]
    lab.run("arguments[0].click()", button)
    first = lab.networks(3)[0]
    assert lab.run("return arguments[0].closest('.jp-CodeCell') === document.querySelectorAll('.jp-CodeCell')[1]", first)
    lab.run("arguments[0].scrollIntoView({ block: 'center' })", first)
    lab.state(first, "paused")


def _dark(lab: Notebook) -> None:
    lab.command("apputils:change-theme", theme="JupyterLab Dark")
    network = lab.networks(3)[0]
    lab.run("arguments[0].scrollIntoView({ block: 'center' })", network)
    wait(lambda: lab.run("return getComputedStyle(arguments[0]).colorScheme", network) == "dark", "the dark theme", 20)
    lab.answer(2)
    lab.drawn(network)
    lab.picture("lab-dark")


def _reload(lab: Notebook) -> None:
    """After a reload of the page the widget is there, with the values of Python."""
    lab.cell(8)
    wait(lambda: lab.answer(7)["E.taum"] == 12, "the value in Python", 20)
    lab.command("docmanager:save")
    lab.open(lab.driver.current_url)
    wait(lambda: lab.elements(".spikelet-widget [data-kind=elsewhere]"), "both outputs after a reload")
    network = wait(lambda: lab.elements("spikelet-network[src=cuba]"), "the network after a reload")[0]
    lab.run("arguments[0].scrollIntoView({ block: 'center' })", network)
    lab.state(network, "paused")
    wait(lambda: lab.slider(network, "E.taum") == 12, "the value of Python after a reload", 20)


def check_saved(folder: Path, pictures: Path | None) -> None:
    """A notebook that was executed without a page, and saved with the state of its widgets, shows a sentence without its kernel."""
    cells = [*CELLS[:2], "print(json.dumps([cuba.status, cuba.error, len(cuba.spikes), cuba.values]))"]
    with jupyter(folder, "jupyterlab", cells) as address, chromium(folder) as driver:
        path = folder / "network.ipynb"
        notebook = nbformat.read(path, 4)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
        NotebookClient(notebook, store_widget_state=True, timeout=60).execute()
        assert json.loads(notebook.cells[2].outputs[0].text) == ["waiting", None, 0, {}]
        nbformat.write(notebook, path)
        lab = Notebook(driver, pictures)
        lab.open(address)
        # Jupyter shows no widgets of notebooks of others, but their texts.
        text = wait(
            lambda: lab.run("return document.querySelectorAll('.jp-OutputArea')[1].textContent"),
            "the text in place of the widget",
        )
        assert "run the cell" in text, text
        lab.picture("lab-untrusted")
        lab.command("docmanager:save")
        trust = [sys.executable, "-m", "jupyter", "trust", str(path)]
        subprocess.run(
            trust, check=True, env=os.environ | {"HOME": str(folder), "JUPYTER_PLATFORM_DIRS": "1"}, capture_output=True
        )
        lab.driver.get("about:blank")
        lab.open(address)
        note = wait(lambda: lab.elements(".spikelet-widget [data-kind=silence]"), "the sentence about the kernel")[0]
        assert "run this cell again" in lab.run("return arguments[0].textContent", note)
        lab.picture("lab-saved")
        # The cell runs again.
        lab.cell(0)
        lab.cell(1)
        (network,) = lab.networks()
        lab.state(network, "paused")
