# SPDX-License-Identifier: GPL-2.0-only
"""A headless Firefox, with those functions of browser.py that WebDriver BiDi has, too."""
import base64
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from browser import Driver, Failure

LISTENING = "WebDriver BiDi listening on "


def program() -> str | None:
    """The path of the browser, or None; also if there is no library to talk with it."""
    if not importlib.util.find_spec("websocket"):
        return None
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Browser(Driver):
    """One browser with one page open at a time."""

    def __init__(self, folder: str) -> None:
        profile, log = Path(folder, "profile"), Path(folder, "browser.log")
        profile.mkdir()
        with open(log, "wb") as said:
            self.process = subprocess.Popen(
                [str(program()), "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0", "about:blank"],
                start_new_session=True, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env={**os.environ, "HOME": folder})
        self.number = 0
        self.context = ""
        # the complaints of the page; a good page has none
        self.complaints: list[str] = []
        try:
            self.begin(log)
        except Exception:
            self.end()
            raise

    def begin(self, log: Path) -> None:
        """Wait until it listens, and begin a session."""
        import websocket
        end = time.monotonic() + 120
        while LISTENING not in log.read_text(encoding="utf-8", errors="replace"):
            if time.monotonic() > end or self.process.poll() is not None:
                raise Failure("the browser does not listen")
            time.sleep(0.1)
        url = log.read_text(encoding="utf-8", errors="replace").split(LISTENING)[1].split()[0]
        self.socket = websocket.create_connection(url + "/session", timeout=60, suppress_origin=True)
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.complaints.append(str(answer["params"]["text"]))
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise Failure(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]

    def new_page(self, width: int = 1280, height: int = 800) -> None:
        """Open a new page; the previous one is closed."""
        old, self.context = self.context, self.call("browsingContext.create", type="tab")["context"]
        if old:
            self.call("browsingContext.close", context=old)
        self.resize(width, height)
        self.complaints.clear()

    def close(self) -> None:
        """End the browser."""
        self.socket.close()
        self.end()

    def end(self) -> None:
        """End its processes."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def watch_requests(self) -> None:
        """The protocol does not show those of workers."""

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded."""
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def choose(self, selector: str, paths: list[str]) -> None:
        """Choose files for an input."""
        node = self.call("browsingContext.locateNodes", context=self.context, locator={"type": "css", "value": selector})["nodes"][0]
        self.call("input.setFiles", context=self.context, element={"sharedId": node["sharedId"]}, files=paths)

    def click(self, x: float, y: float) -> None:
        """Move the mouse and click."""
        self.call("input.performActions", context=self.context, actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0}]}])

    def js(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = self.call("script.evaluate", target={"context": self.context}, awaitPromise=True,
                           expression=f"(async () => JSON.stringify([await ({expression})]))()")
        if result["type"] != "success":
            raise Failure(f"{expression}: {result['exceptionDetails']['text']}")
        return json.loads(result["result"]["value"])[0]

    def shot(self, name: str) -> None:
        """Save a screenshot of the window as a PNG file."""
        data = self.call("browsingContext.captureScreenshot", context=self.context)["data"]
        Path(name).write_bytes(base64.b64decode(data))
