"""The traits of the widget, its messages, and what it refuses before anything is sent."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import spikelet
from spikelet import SpikeletError

pytest.importorskip("anywidget")
import spikelet.widget
from spikelet.widget import Widget, _run, _widget

EDGES = {"pre": np.array([0, 1]), "post": np.array([2, 0]), "w [mV]": np.array([2.0, 3.0])}


@pytest.fixture(autouse=True)
def built(tmp_path, monkeypatch):
    """What stands for the engine, which other tests build."""
    (tmp_path / "engine.wasm.gz").write_bytes(bytes(range(256)) * 5000)
    monkeypatch.setattr(_widget, "STATIC", tmp_path)
    _widget._static.cache_clear()
    yield
    _widget._static.cache_clear()


@pytest.fixture
def sent(monkeypatch):
    """The messages to the page."""
    messages = []
    monkeypatch.setattr(Widget, "send", lambda _, content, buffers=None: messages.append((content, buffers or [])))
    return messages


@pytest.fixture
def from_file(cells):
    """A network that names a file of edges."""
    del cells["projections"][0]["connect"]
    return cells | {"projections": [cells["projections"][0] | {"pairs": {"file": "edges.npz"}}]}


def hello(widget, page="p"):
    """The first message of a page."""
    populations = [{"name": "driver", "size": 2, "first": 0}, {"name": "listener", "size": 3, "first": 2}]
    info = {"name": "two cells", "neurons": 5, "dt_ms": 0.1, "duration_ms": 100, "populations": populations}
    widget._receive({"say": "hello", "page": page, "info": info}, [])


def spikes(widget, neurons, steps, number=1, run=0, until_ms=10.0, page="p", wrap=bytes):
    message = {"say": "spikes", "page": page, "number": number, "run": run, "until_ms": until_ms}
    widget._receive(message, [wrap(np.array(values, np.uint32).tobytes()) for values in (neurons, steps)])


def test_arguments_become_traits():
    widget = Widget("cuba", plots=["raster", "rates"], parameters="E.taum EE.we", values={"E.taum": np.float32(15)}, speed=None)
    state = widget.get_state()
    assert (state["_network"], state["plots"], state["parameters"]) == ("cuba", "raster rates", ["E.taum", "EE.we"])
    assert (state["values"], state["speed"], state["backend"], state["seed"]) == ({"E.taum": 15.0}, 0, "auto", None)
    assert widget.status == "waiting" and widget.error is None and widget.info == {} and len(widget.spikes) == 0
    json.dumps({name: value for name, value in state.items() if name not in ("layout", "_esm")})


@pytest.mark.parametrize("form", ["dict", "text", "path", "simulation"])
def test_networks_have_many_forms(form, cells, tmp_path):
    path = tmp_path / "net.json"
    path.write_text("\ufeff" + json.dumps(cells), encoding="utf-8")
    given = {
        "dict": cells,
        "text": " " + json.dumps(cells),
        "path": path,
        "simulation": spikelet.Simulation(cells, backend="cpu"),
    }[form]
    widget = Widget(given)
    assert json.loads(widget._network)["name"] == "two cells" and widget._files == []


@pytest.mark.parametrize("form", ["columns", "bytes", "path", "beside the network"])
def test_files_are_sent_in_parts(form, from_file, tmp_path, sent):
    path = tmp_path / "edges.npz"
    np.savez(path, **EDGES)
    network = tmp_path / "net.json"
    network.write_text(json.dumps(from_file))
    files = {"columns": EDGES, "bytes": path.read_bytes(), "path": path}
    widget = Widget(network) if form == "beside the network" else Widget(from_file, files={"edges.npz": files[form]})
    assert widget._files == ["edges.npz"]
    widget._receive({"ask": "file:edges.npz", "part": 0}, [])
    [(answer, [content])] = sent
    assert answer == {"name": "file:edges.npz", "part": 0, "of": 1}
    (tmp_path / "sent.npz").write_bytes(content)
    with np.load(tmp_path / "sent.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {name: values.tolist() for name, values in EDGES.items()}


def test_the_engine_is_sent_in_small_parts(sent):
    widget = Widget("cuba")
    whole = (_widget.STATIC / "engine.wasm.gz").read_bytes()
    widget._receive({"ask": "engine", "part": 0}, [])
    of = sent[0][0]["of"]
    for part in range(1, of):
        widget._receive({"ask": "engine", "part": part}, [])
    assert b"".join(buffers[0] for _, buffers in sent) == whole and of == 4
    assert max(len(buffers[0]) for _, buffers in sent) < 500_000
    widget._receive({"ask": "file:../secret", "part": 0}, [])
    widget._receive("nonsense", [])
    assert len(sent) == of


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview])
def test_spikes_arrive_as_arrays(wrap, sent):
    widget = Widget("cuba")
    hello(widget)
    spikes(widget, [0, 3], [10, 12], wrap=wrap)
    spikes(widget, [4, 1], [20, 21], number=2, until_ms=None, wrap=wrap)
    found = widget.spikes
    assert found.neurons.tolist() == [0, 3, 4, 1] and found.steps.tolist() == [10, 12, 20, 21]
    assert (found.neurons.dtype, found.steps.dtype, found.times.dtype) == (np.uint32, np.uint32, np.float64)
    assert found.times.tolist() == pytest.approx([1.0, 1.2, 2.0, 2.1]) and found.end_ms == pytest.approx(2.1)
    of = widget.spikes_of("listener")
    assert (of.neurons.tolist(), of.size, of.population) == ([1, 2], 3, "listener")
    assert [message for message, _ in sent] == [{"got": 1, "page": "p"}, {"got": 2, "page": "p"}]
    with pytest.raises(SpikeletError, match="no population 'X'; there are driver, listener"):
        widget.spikes_of("X")
    with pytest.raises(ValueError, match="read-only"):
        found.neurons[0] = 1


def test_messages_that_come_twice_count_once_and_another_run_begins_again(sent):
    widget = Widget("cuba")
    hello(widget)
    spikes(widget, [0], [1])
    spikes(widget, [0], [1])
    assert len(widget.spikes) == 1
    spikes(widget, [1, 1], [1, 2], number=2, run=1)
    assert widget.spikes.neurons.tolist() == [1, 1]
    spikes(widget, [2], [3], page="a window that another one has replaced")
    assert widget.spikes.neurons.tolist() == [1, 1]
    hello(widget, "a window")
    spikes(widget, [3], [4], page="a window")
    spikes(widget, [1], [3], number=3, run=1)
    assert widget.spikes.neurons.tolist() == [3]
    assert [message["got"] for message, _ in sent] == [1, 1, 2, 1, 1, 3]


def test_values_go_both_ways(sent):
    widget = Widget("cuba")
    seen = []
    widget.observe(lambda change: seen.append(change.new), "values")
    widget._receive({"say": "traits", "traits": {"values": {"E.taum": 20}, "status": "paused", "time_ms": 5, "error": None}}, [])
    assert (widget.values, widget.status, widget.time_ms) == ({"E.taum": 20.0}, "paused", 5.0)
    widget.values["E.taum"] = "12 ms"
    widget.set("EE.we", 3)
    widget.values.update({"EE.we": 4})
    assert widget.values == {"E.taum": "12 ms", "EE.we": 4.0} and len(seen) == 4
    widget._receive({"say": "traits", "traits": {"_network": "{}", "error": "a sentence"}}, [])
    assert widget.error == "a sentence" and widget._network == "cuba"


def test_a_run_is_asked_for_until_a_page_shows_the_network(sent):
    import asyncio

    async def runs():
        widget = Widget("cuba")
        run = widget.run(200)
        with pytest.raises(SpikeletError, match="already runs"):
            widget.run(1)
        hello(widget)
        asked = [message for message, _ in sent if message.get("do") == "run"]
        assert [message["page"] for message in asked] == ["", "p"] and asked[0]["id"] == asked[1]["id"]
        assert (asked[0]["ms"], asked[0]["speed"]) == (200, None)

        async def answer():
            await asyncio.sleep(0.01)
            spikes(widget, [0], [1])
            ran = {"say": "ran", "id": asked[0]["id"], "time_ms": 200, "status": "paused", "because": "time"}
            # In kernels with subshells messages come in another thread.
            await asyncio.to_thread(widget._receive, ran, [])

        found, _ = await asyncio.gather(run, answer())
        assert len(found) == 1 and run.done and widget.time_ms == 200
        refused = widget.run(0.05)
        widget._receive({"say": "refused", "id": refused._id, "message": "a part of a step"}, [])
        with pytest.raises(SpikeletError, match="a part of a step"):
            await refused
        closed = widget.run()
        widget.close()
        with pytest.raises(SpikeletError, match="closed"):
            await closed

    asyncio.run(runs())


def test_a_run_that_nobody_sees_or_that_is_interrupted_ends(sent, monkeypatch):
    import asyncio

    monkeypatch.setattr(_run, "PATIENCE_S", 0.01)

    async def runs():
        widget = Widget("cuba")
        with pytest.raises(SpikeletError, match="no output shows this widget"):
            await widget.run(200)
        hello(widget)
        run = widget.run(200)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(run, 0.01)
        assert sent[-1][0] == {"do": "pause"} and "interrupted" in repr(run)
        widget._receive({"say": "ran", "id": run._id, "time_ms": 3, "status": "paused", "because": "paused"}, [])
        assert "interrupted" in repr(run) and widget.time_ms == 3
        assert not widget.run(1).done

    asyncio.run(runs())


def test_without_the_built_engine_it_says_how_to_build_it(monkeypatch, tmp_path):
    monkeypatch.setattr(_widget, "STATIC", tmp_path / "none")
    _widget._static.cache_clear()
    with pytest.raises(ImportError, match=r"widget\.mjs"):
        Widget("cuba")


def test_the_text_of_a_widget_says_how_to_see_it():
    assert repr(Widget("cuba")) == "spikelet.Widget of cuba, waiting. To see it, run the cell in a notebook."


#: Arguments, the class of their error, and a part of its sentence.
REFUSED = {
    "a number as network": (dict(network=3), TypeError, "of type int"),
    "an unknown name": (dict(network="cubb"), SpikeletError, "did you mean `cuba`"),
    "an address": (dict(network="https://example.org/net.json"), SpikeletError, "cannot be read"),
    "no JSON": (dict(network='{"a": }'), SpikeletError, "no valid JSON: Expecting value in line 1, column 7"),
    "not a number": (dict(network={"dt_ms": float("nan")}), SpikeletError, "finite"),
    "a missing file": (dict(network={"projections": [{"pairs": {"file": "e.npz"}}]}), SpikeletError, "names the file 'e.npz'"),
    "files as a list": (dict(files=[1]), TypeError, "files is [1]"),
    "columns in a table": (dict(files={"e.csv": EDGES}), SpikeletError, "must end with .npz"),
    "columns of different length": (dict(files={"e.npz": {"pre": [1], "post": [1, 2]}}), SpikeletError, "differ in length"),
    "content of a wrong type": (dict(files={"e.npz": 3}), TypeError, "files['e.npz']"),
    "plots as a number": (dict(plots=3), TypeError, "plots is 3; expected"),
    "parameters as numbers": (dict(parameters=[1]), TypeError, "parameters is [1]"),
    "a parameter without object": (dict(parameters=["taum"]), SpikeletError, "expected a path such as 'E.taum'"),
    "values as a list": (dict(values=[1]), TypeError, "values is [1]"),
    "a value that is true": (dict(values={"E.taum": True}), TypeError, "values['E.taum'] is True"),
    "an infinite value": (dict(values={"E.taum": np.inf}), SpikeletError, "values['E.taum'] is inf"),
    "a negative height": (dict(height=-1), SpikeletError, "height is -1; expected a number above 0"),
    "a height as text": (dict(height="3"), TypeError, "height is '3'"),
    "a backend": (dict(backend="tpu"), SpikeletError, "backend is 'tpu'; expected one of auto, cpu, gpu"),
    "a backend as a number": (dict(backend=1), TypeError, "backend is 1"),
    "a part of a seed": (dict(seed=1.5), SpikeletError, "seed is 1.5; expected a whole number of at least 0"),
    "a speed of nothing": (dict(speed=0), SpikeletError, "speed is 0"),
    "autoplay as text": (dict(autoplay="yes"), TypeError, "autoplay is 'yes'"),
    "the scale of a dict": (dict(network={"dt_ms": 1}, scale=2), SpikeletError, "not a built-in one"),
}


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_wrong_arguments_are_refused_at_once(case, monkeypatch):
    def opened(*_, **__):
        raise AssertionError("something was sent")

    monkeypatch.setattr(_widget.anywidget.AnyWidget, "__init__", opened)
    arguments, kind, sentence = REFUSED[case]
    with pytest.raises(kind) as raised:
        Widget(**({"network": "cuba"} | arguments))
    assert sentence in str(raised.value), raised.value


@pytest.mark.parametrize(
    "name, value", [("plots", 3), ("height", "x"), ("backend", "tpu"), ("values", {"E.taum": None}), ("speed", -1)]
)
def test_traits_refuse_what_arguments_refuse(name, value):
    widget = Widget("cuba")
    before = getattr(widget, name)
    with pytest.raises((TypeError, SpikeletError), match=name):
        setattr(widget, name, value)
    assert getattr(widget, name) == before


def test_the_built_widget_is_one_module_without_addresses():
    """As it was built, if it was."""
    static = Path(spikelet.widget.__file__).parent / "static"
    if not static.exists():
        pytest.skip("the widget is not built: node widget.mjs")
    script = (static / "widget.js").read_text(encoding="utf-8")
    assert "export{" in script or "export default" in script
    assert "https://" not in script.replace("http://www.w3.org", "").replace("https://www.w3.org", "")
    assert gzip.decompress((static / "engine.wasm.gz").read_bytes())[:4] == b"\0asm"
