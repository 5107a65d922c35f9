"""Debian's Chromium over a page on disk, without a network: what a person sees, hears and presses."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "reports" / "screenshots"
"""Where tests leave what they saw; a CI server keeps it with the reports."""


@dataclass(frozen=True)
class Page:
    """A page that is open."""

    driver: webdriver.Chrome

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file as a person would from disk, wide, in light colours."""
        self.look(1440, 900, dark=False)
        self.driver.get("about:blank")  # or a change of the fragment alone would not load the page again
        self.driver.get(path.resolve().as_uri() + (f"#{fragment}" if fragment else ""))

    def look(self, width: int, height: int, *, dark: bool, media: str = "") -> None:
        """The size of the window in CSS pixels, what the system asks for, and `print` for paper."""
        self._resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})

    def _resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.cdp("Emulation.setDeviceMetricsOverride", size)

    def cdp(self, command: str, parameters: dict[str, Any]) -> Any:
        """A command of the Chrome DevTools Protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def js(self, script: str, *arguments: object) -> Any:
        """What a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def one(self, selector: str) -> WebElement:
        """The first element that matches."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def shown(self, selector: str) -> list[WebElement]:
        """The elements that match and are to be seen."""
        return [one for one in self.driver.find_elements(By.CSS_SELECTOR, selector) if one.is_displayed()]

    def press(self, *keys: str) -> None:
        """Press keys one after another, wherever the focus is."""
        chain = ActionChains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def focused(self) -> WebElement:
        """The element that has the focus."""
        return self.driver.switch_to.active_element

    def settle(self) -> None:
        """Let what a key or a click began come to its end: the page waits 80 ms for the next letter."""
        self.driver.execute_async_script(
            "const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => done()), 160)"
        )

    def errors(self) -> list[str]:
        """What the browser's console complained of since it was last asked."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def screenshot(self, name: str, *, whole: bool = True, most: int = 3500) -> Path:
        """Keep what is seen, down to the page's end or `most` pixels, as NAME.png."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        if whole:  # a window as high as the page: what is far below a window is not drawn
            for _ in range(2):
                width, height = self.js("return [innerWidth, document.documentElement.scrollHeight]")
                self._resize(width, min(most, height))
        path.write_bytes(base64.b64decode(self.cdp("Page.captureScreenshot", {"format": "png"})["data"]))
        return path

    def accessible(self) -> list[AccessibleNode]:
        """What a screen reader meets, in its order."""
        return [
            AccessibleNode(
                role=str(node.get("role", {}).get("value", "")),
                name=str(node.get("name", {}).get("value", "")),
                properties={one["name"]: one["value"].get("value") for one in node.get("properties", ())},
            )
            for node in self.cdp("Accessibility.getFullAXTree", {})["nodes"]
            if not node.get("ignored")
        ]

    def faint(self, least: float = 4.5) -> list[str]:
        """Texts that are seen and whose contrast with what lies below them is less (WCAG 2.2, 1.4.3)."""
        found: Sequence[str] = self.js(_FAINT, least)
        return list(found)


@dataclass(frozen=True)
class AccessibleNode:
    """One node of the accessibility tree."""

    role: str
    name: str
    properties: dict[str, Any]


@contextmanager
def chromium() -> Iterator[Page]:
    """A browser of its own; fails where there is none, since a skipped test would look like a passed one."""
    names = ("chromium", "chromedriver")
    programs = [shutil.which(name) for name in names]
    if None in programs:
        raise AssertionError("no Chromium with its driver on this machine: install chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = str(programs[0])
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which refuses to run as root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(programs[1]))
    try:
        yield Page(driver)
    finally:
        driver.quit()


_FAINT = """
const rgba = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const light = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
const ground = (element) => {
  for (let up = element; up; up = up.parentElement) {
    const color = rgba(getComputedStyle(up).backgroundColor);
    if (color.length < 4 || color[3] === 1) return color;
    if (color[3] > 0) throw new Error("a ground that shines through");
  }
  return [255, 255, 255];
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || element.closest("script, style, .hidden, .skip")) continue;
  if (!element.checkVisibility({ visibilityProperty: true })) continue;
  const [ink, below] = [luminance(rgba(getComputedStyle(element).color)), luminance(ground(element))];
  const contrast = (Math.max(ink, below) + 0.05) / (Math.min(ink, below) + 0.05);
  if (contrast < arguments[0]) {
    found.push(`${contrast.toFixed(2)} ${element.className}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
}
return found;
"""
