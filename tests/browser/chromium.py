"""A headless Chromium, told what to do over a pipe: pages at a size, in a medium, as pictures and as PDF."""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from base64 import b64decode
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal, NamedTuple, Self

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE: Final = 60.0
"""Seconds for an answer."""


class View(NamedTuple):
    """How a page is looked at: in CSS pixels, on paper or not, in the dark or not, with scripts or not."""

    width: int
    height: int
    medium: Literal["screen", "print"] = "screen"
    scheme: Literal["light", "dark"] = "light"
    scripts: bool = True


DESKTOP: Final = View(1280, 800)
PHONE: Final = View(400, 800)
DARK: Final = View(1280, 800, scheme="dark")
DARK_PHONE: Final = View(400, 800, scheme="dark")
PAPER: Final = View(718, 1040, medium="print")
"""An A4 page between its margins."""
WITHOUT_SCRIPT: Final = View(1280, 800, scripts=False)


_TAKE_3_AND_4: Final = """
import fcntl, os, sys
for number, at in [(fcntl.fcntl(int(given), fcntl.F_DUPFD, 10), at) for given, at in zip(sys.argv[1:3], (3, 4))]:
    os.dup2(number, at)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, with the ends of the pipes where it looks for them."""


class Chromium:
    """A browser with one page, until it is left. Raises `FileNotFoundError` where there is no browser."""

    def __init__(self) -> None:
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise FileNotFoundError(
                f"there is no browser: install Debian's package chromium (none of {', '.join(NAMES)})"
            )
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read_by_it, self._write = os.pipe()
        self._read, written_by_it = os.pipe()
        flags = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        flags += ["--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={self._profile.name}"]
        flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_3_AND_4, str(read_by_it), str(written_by_it), program, *flags, "about:blank"],
            pass_fds=(read_by_it, written_by_it),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_by_it)
        os.close(written_by_it)
        self._calls = 0
        self._buffer = b""
        self._session = ""
        self._events: list[str] = []
        try:
            page = self.call("Target.createTarget", url="about:blank")
            attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
            self._session = attached["sessionId"]
            self.call("Page.enable")
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method: str, **given: Any) -> Any:
        """What a command of the Chrome DevTools Protocol gives. Raises `RuntimeError` for an error."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._answer()
            if answer.get("id") == self._calls:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _answer(self) -> dict[str, Any]:
        until = monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(0.0, until - monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._read, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(text)
        self._events.append(answer.get("method", ""))
        return answer

    def show(self, page: Path, view: View, fragment: str = "") -> None:
        """Load a page anew, and look at it so."""
        self.call("Emulation.setScriptExecutionDisabled", value=not view.scripts)
        size = {"width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": view.width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": view.scheme}
        self.call("Emulation.setEmulatedMedia", media=view.medium, features=[scheme])
        self._events.clear()
        self.call("Page.navigate", url="about:blank")
        self._until_loaded()
        self.call("Page.navigate", url=page.resolve().as_uri() + fragment)
        self._until_loaded()

    def _until_loaded(self) -> None:
        while "Page.loadEventFired" not in self._events:
            self._answer()
        self._events.clear()

    def evaluate(self, script: str) -> Any:
        """The value of an expression on the page. Raises `RuntimeError` where it throws."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:2000])
        return found["result"].get("value")

    def picture(self) -> bytes:
        """What is seen, as PNG."""
        return b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        """The page on paper, by its own size and margins."""
        given = {"printBackground": True, "preferCSSPageSize": True}
        return b64decode(self.call("Page.printToPDF", **given)["data"])
