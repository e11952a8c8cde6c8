"""The gallery: each script draws its figure, and measures what was published."""

import runpy
import sys
import time
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

SCRIPTS = sorted((Path(__file__).parent.parent / "gallery").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_reproduces_its_figure(script, tmp_path, monkeypatch):
    pyplot.switch_backend("agg")
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    start = time.perf_counter()
    names = runpy.run_path(str(script), run_name="__main__")
    print(f"{script.stem}: {time.perf_counter() - start:.1f} s")
    pyplot.close("all")
    picture = tmp_path / f"{script.stem}.png"
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000
    measured, published = names["measured"], names["published"]
    assert published and set(published) <= set(measured)
    for name, (value, tolerance) in published.items():
        assert abs(measured[name] - value) <= tolerance, f"{name}: {measured[name]}, published {value} ± {tolerance}"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_short_and_says_what_it_reproduces(script):
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    documentation = text.split('"""')[1]
    assert script.stem[-4:] in documentation and "Published" in documentation


def test_there_are_twenty():
    assert len(SCRIPTS) == 20
