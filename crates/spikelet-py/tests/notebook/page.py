"""What a page with widgets shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hosts import wait

#: All elements, also in shadow roots.
ALL = """
const all = [];
const walk = (root) => { for (const one of root.querySelectorAll("*")) { all.push(one); if (one.shadowRoot) walk(one.shadowRoot); } };
walk(document);
"""

#: Whether a canvas of the element has more than a few colours of spikes.
DRAWN = """
const canvas = arguments[0].shadowRoot.querySelector("figure.raster canvas, .raster canvas");
if (!canvas || !canvas.width) return 0;
const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
copy.drawImage(canvas, 0, 0);
const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
let coloured = 0;
for (let k = 0; k < data.length; k += 4) {
  const [red, green, blue, opacity] = data.subarray(k, k + 4);
  if (opacity > 100 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) coloured += 1;
}
return coloured;
"""


class Page:
    """A page in the browser."""

    def __init__(self, driver: Any, pictures: Path | None) -> None:
        self.driver = driver
        self.pictures = pictures

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def elements(self, selector: str) -> list[Any]:
        return self.run(ALL + "return all.filter((one) => one.matches(arguments[0]))", selector)

    def networks(self, count: int = 1) -> list[Any]:
        """The elements of the page, when there are so many."""

        def found() -> list[Any]:
            all_of_them = self.elements("spikelet-network")
            return all_of_them if len(all_of_them) == count else []

        return wait(found, f"{count} networks in the page")

    def state(self, element: Any, *wanted: str) -> str:
        return wait(
            lambda: (state := self.run("return arguments[0].state", element)) in wanted and state,
            f"a network to be {' or '.join(wanted)}",
        )

    def text(self, element: Any) -> str:
        return self.run("return arguments[0].shadowRoot.textContent", element)

    def drawn(self, element: Any) -> int:
        """The number of coloured pixels of the raster."""
        self.run("arguments[0].scrollIntoView({ block: 'center' })", element)
        return wait(lambda: (pixels := self.run(DRAWN, element)) > 300 and pixels, "spikes in the raster", 20)

    def slide(self, element: Any, path: str, value: float) -> None:
        """Moves a slider as a hand does."""
        self.run(
            "const input = arguments[0].shadowRoot.querySelector(`[data-path='${arguments[1]}']`);"
            "input.value = arguments[2]; input.dispatchEvent(new Event('input', { bubbles: true }));",
            element, path, value,
        )  # fmt: skip

    def slider(self, element: Any, path: str) -> float:
        return self.run(
            "return arguments[0].shadowRoot.querySelector(`[data-path='${arguments[1]}']`)?.valueAsNumber", element, path
        )

    def picture(self, name: str) -> None:
        if self.pictures is None:
            return
        self.pictures.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(self.pictures / f"{name}.png"))

    def complain(self) -> None:
        """Fails on errors in the console of the browser that are ours."""
        ours = [
            one["message"] for one in self.driver.get_log("browser") if one["level"] == "SEVERE" and "pikelet" in one["message"]
        ]
        assert not ours, ours
