"""Real notebooks for tests: servers on loopback, and Chromium."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PACKAGE = Path(__file__).resolve().parents[2] / "python"

FLAGS = [
    "--headless=new", "--no-sandbox", "--window-size=1200,1000", "--hide-scrollbars", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=127.0.0.1",
]  # fmt: skip


def needs() -> list[str]:
    """What is missing on this machine, in words."""
    missing = [f"the program {name}" for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if not (PACKAGE / "spikelet/widget/static/widget.js").exists():
        missing.append("the built widget: node crates/spikelet-py/widget.mjs")
    if not list((PACKAGE / "spikelet").glob("_spikelet.*[od]")):
        missing.append("the extension module: cargo xtask test python")
    return missing


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def server(command: list[str], address: str, folder: Path) -> Iterator[None]:
    """Runs a server until the end of the block."""
    log = (folder / "server.log").open("wb")
    python_path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {
        "PYTHONPATH": python_path,
        "HOME": str(folder),
        "JUPYTER_PLATFORM_DIRS": "1",
        "XDG_CONFIG_HOME": str(folder / ".config"),
        "MARIMO_SKIP_UPDATE_CHECK": "1",
    }
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        wait(lambda: _answers(address), f"{command[2]} to start", 90, lambda: process.poll() is None)
        yield
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return answer.status < 500
    except OSError:
        return False


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[webdriver.Chrome]:
    """A browser without a network beyond loopback."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in [*FLAGS, f"--user-data-dir={folder / 'profile'}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(60)
        yield driver
    except Exception:
        driver.save_screenshot(str(folder / "failure.png"))
        raise
    finally:
        driver.quit()


def wait(condition: Callable[[], object], what: str, seconds: float = 60, alive: Callable[[], bool] = lambda: True) -> object:
    """The first true value of a condition."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and alive():
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds:g} s in vain for {what}")


@contextlib.contextmanager
def jupyter(folder: Path, app: str, cells: list[str]) -> Iterator[str]:
    """JupyterLab or Notebook 7 with a notebook of these cells; its address."""
    notebook = {
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "cells": [
            {"cell_type": "code", "id": f"cell{place}", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
            for place, source in enumerate(cells)
        ],
    }  # fmt: skip
    (folder / "network.ipynb").write_text(json.dumps(notebook))
    port = free_port()
    command = [
        sys.executable, "-m", app, "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.token=", "--ServerApp.password=",
        "--expose-app-in-browser", f"--ServerApp.root_dir={folder}", "--LabApp.news_url=None", 
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    path = "lab/tree" if app == "jupyterlab" else "notebooks"
    with server(command, f"http://127.0.0.1:{port}/api", folder):
        yield f"http://127.0.0.1:{port}/{path}/network.ipynb"


@contextlib.contextmanager
def marimo(folder: Path, mode: str) -> Iterator[str]:
    """marimo with the file app.py of the folder, which runs when it is opened; its address."""
    settings = folder / ".config/marimo/marimo.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[runtime]\nauto_instantiate = true\n")
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "marimo",
        mode,
        "app.py",
        "--headless",
        "--no-token",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with server(command, f"http://127.0.0.1:{port}/health", folder):
        yield f"http://127.0.0.1:{port}/"
