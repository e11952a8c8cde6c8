"""The widget in a page with the content security policy of notebooks in VS Code, which allows no Worker from a blob and no request.

The page delivers bytes in base64, as some frontends do.
"""

from __future__ import annotations

import base64
import functools
import http.server
import threading
import time
from pathlib import Path
from typing import Any

from hosts import PACKAGE, chromium, wait
from page import Page

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "connect-src https:; child-src https: data:"
)

PAGE = """<!doctype html><meta charset="utf-8"><body style="background: rgb(31, 31, 31)"><div id="output"></div>
<script src="engine.js"></script>
<script type="module">
import widget from "./widget.js";
const state = {
  _id: "a", _network: "cuba", _files: [], plots: "raster", parameters: ["E.taum"], values: {}, height: 300, backend: "cpu", seed: null, scale: null,
  speed: 0, duration_ms: 100, window_ms: null, autoplay: true, max_spikes: 1e6,
};
const listeners = {};
const emit = (event, ...more) => (listeners[event] ?? []).forEach((listener) => listener(...more));
window.spikes = 0;
const model = {
  get: (name) => state[name],
  set(name, value) { state[name] = value; },
  save_changes() {},
  on(event, listener) { (listeners[event] ??= []).push(listener); },
  off(event, listener) { listeners[event] = (listeners[event] ?? []).filter((one) => one !== listener); },
  send(message, callbacks, buffers) {
    const { ask, part, say, number, page } = message;
    if (ask) setTimeout(emit, 5, "msg:custom", { name: ask, part, of: 3 }, [ENGINE[part]]);
    if (say === "spikes") {
      window.spikes += buffers[0].byteLength / 4;
      setTimeout(emit, 5, "msg:custom", { got: number, page }, []);
    }
  },
};
window.state = state;
widget.render({ model, el: document.getElementById("output") });
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def check(folder: Path, pictures: Path | None) -> None:
    site = folder / "site"
    site.mkdir()
    static = PACKAGE / "spikelet/widget/static"
    engine = (static / "engine.wasm.gz").read_bytes()
    third = len(engine) // 3
    parts = [engine[:third], engine[third : 2 * third], engine[2 * third :]]
    texts = ",".join(f'"{base64.b64encode(part).decode()}"' for part in parts)
    (site / "engine.js").write_text(f"const ENGINE = [{texts}];")
    (site / "widget.js").write_bytes((static / "widget.js").read_bytes())
    (site / "index.html").write_text(PAGE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with chromium(folder) as driver:
            page = Page(driver, pictures)
            driver.get(f"http://127.0.0.1:{server.server_port}/")
            (network,) = page.networks()
            page.state(network, "ended")
            wait(lambda: page.run("return state.status === 'ended' && state.time_ms === 100 && spikes > 2000"), "the spikes")
            assert page.run("return getComputedStyle(arguments[0]).colorScheme", network) == "dark"
            page.drawn(network)
            page.picture("policy")
            _out_of_view(page, network)
        server.shutdown()


def _out_of_view(page: Page, network: Any) -> None:
    """The element pauses where nobody sees it, except with the attribute `offscreen`, which runs of Python set."""
    page.run("document.getElementById('output').style.marginTop = '5000px'; scrollTo(0, 0)")
    page.run("arguments[0].reset(); arguments[0].play()", network)
    time.sleep(1)
    assert page.run("return [arguments[0].state, arguments[0].simulation.timeMs]", network) == ["paused", 0]
    page.run("arguments[0].toggleAttribute('offscreen', true)", network)
    page.state(network, "ended")
