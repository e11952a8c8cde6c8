"""Runs the widget in real notebooks: JupyterLab, Notebook 7, marimo, and a page with the content security policy of VS Code.

    python tests/notebook/check.py [--pictures FOLDER] [lab] [saved] [notebook] [marimo] [policy]

It needs Chromium with its driver, the packages anywidget, jupyterlab, notebook, marimo and selenium in the environment of this Python, and the built
widget (``node crates/spikelet-py/widget.mjs``). It uses the network only on loopback.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hosts
import lab
import marimo_app
import policy

PARTS = {
    "lab": lab.check_lab,
    "saved": lab.check_saved,
    "notebook": lab.check_notebook,
    "marimo": marimo_app.check,
    "policy": policy.check,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--pictures", type=Path, help="folder for screenshots")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if missing := hosts.needs():
        print("missing:", "; ".join(missing), file=sys.stderr)
        return 2
    for name in options.parts or PARTS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                PARTS[name](Path(folder), options.pictures)
            except Exception:
                log, last = Path(folder) / "server.log", Path(folder) / "failure.png"
                if options.pictures and last.exists():
                    shutil.copy(last, options.pictures / f"{name}-failure.png")
                print(f"{name} failed", log.read_text()[-3000:] if log.exists() else "", sep="\n", file=sys.stderr)
                raise
        print(f"{name}: passed in {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
