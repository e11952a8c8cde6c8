"""The widget in marimo."""

from __future__ import annotations

from pathlib import Path

from hosts import chromium, marimo, wait
from page import ALL, Page

APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    from spikelet import Widget

    cuba = Widget("cuba", plots="raster rates", parameters=["E.taum"])
    shown = mo.ui.anywidget(cuba)
    run = cuba.run(200)
    return cuba, mo, run, shown


@app.cell
def _(shown):
    shown
    return


@app.cell
def _(cuba, mo, run, shown):
    mo.md(f"STATUS {shown.value['status']} SPIKES {len(cuba.spikes)} TAUM {cuba.values.get('E.taum')} {run!r}")
    return


@app.cell
async def _(mo, run):
    try:
        await run
        said = "awaited"
    except Exception as error:
        said = str(error)
    mo.md(f"AWAIT {said}")
    return


if __name__ == "__main__":
    app.run()
"""


def check(folder: Path, pictures: Path | None) -> None:
    (folder / "app.py").write_text(APP)
    for mode in ("run", "edit"):
        with marimo(folder, mode) as address, chromium(folder) as driver:
            driver.get(address)
            _check(Page(driver, pictures), mode)


def _check(page: Page, mode: str) -> None:
    (network,) = page.networks()
    page.state(network, "paused")
    said = wait(lambda: _said(page, "STATUS paused SPIKES 4616"), "the spikes in Python")
    assert "TAUM 20" in said and "Run(time at 200 ms)" in said, said
    assert page.drawn(network) > 1000
    page.slide(network, "E.taum", 25)
    wait(lambda: _said(page, "TAUM 25"), "the value of the slider in Python")
    assert "without await" in wait(lambda: _said(page, "AWAIT"), "the sentence about await")
    page.picture(f"marimo-{mode}")
    page.complain()


#: The first text that contains another one, and is no source.
SAID = """
const texts = all.filter((one) => one.childElementCount === 0).map((one) => one.textContent ?? "");
return texts.find((text) => text.includes(arguments[0]) && !text.includes('f"')) ?? "";
"""


def _said(page: Page, begin: str) -> str:
    return page.run(ALL + SAID, begin)
