# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium that tests control as a user would: mouse, keys, and screenshots.

Speaks the DevTools protocol through two pipes (--remote-debugging-pipe): JSON, a NUL after each.
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from typing import Any

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")


class Failure(Exception):
    """The page or the browser did not do what the test requested."""


def program() -> str | None:
    """The path of the browser, or None."""
    return next((p for p in map(shutil.which, PROGRAMS) if p), None)


class Driver:
    """What tests do with any browser."""

    def js(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        raise NotImplementedError

    def click(self, x: float, y: float) -> None:
        """Move the mouse and click."""
        raise NotImplementedError

    def click_on(self, selector: str) -> None:
        """Click into the middle of an element, when it is there and has come to rest."""
        middle = f"""(() => {{
            const e = document.querySelector({json.dumps(selector)});
            if (!e)
                return null;
            e.scrollIntoView({{block: "nearest"}});
            const b = e.getBoundingClientRect();
            return [b.left + b.width / 2, b.top + b.height / 2];
        }})()"""
        before, now, end = None, self.js(middle), time.monotonic() + 60
        while now is None or now != before:
            if time.monotonic() > end:
                raise Failure(f"never at rest: {selector}")
            time.sleep(0.03)
            before, now = now, self.js(middle)
        self.click(*now)

    def until(self, expression: str, seconds: float = 60) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.js(expression):
            if time.monotonic() > end:
                raise Failure(f"never true: {expression}")
            time.sleep(0.03)


class Browser(Driver):
    """One browser with one page open at a time."""

    def __init__(self, folder: str) -> None:
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()
        # the browser expects them as descriptors 3 and 4
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "sh", str(program()), "--no-sandbox",
             "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             f"--user-data-dir={folder}/profile", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_read, from_write), start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(f"{folder}/browser.log", "wb"))
        os.close(to_read)
        os.close(from_write)
        self.rest = b""
        self.number = 0
        self.target = ""
        self.session = ""
        # the complaints of the page; a good page has none
        self.complaints: list[str] = []
        # what the page and its workers have asked for, and the sessions of the workers, if watch_requests() was called
        self.requests: list[str] = []
        self.workers: list[str] = []

    def new_page(self, width: int = 1280, height: int = 800) -> None:
        """Open a new page; the previous one is closed."""
        self.session = ""
        if self.target:
            self.call("Target.closeTarget", targetId=self.target)
        self.target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)
        for noted in self.complaints, self.requests, self.workers:
            noted.clear()

    def close(self) -> None:
        """End the browser."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.to)
        os.close(self.source)

    # === The protocol ===

    def receive(self, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            if not select.select([self.source], [], [], max(0, end - time.monotonic()))[0]:
                raise Failure("the browser does not answer")
            part = os.read(self.source, 1 << 20)
            if not part:
                raise Failure("the browser has gone")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(30)
            if answer.get("method") == "Runtime.exceptionThrown":
                self.complaints.append(str(answer["params"]["exceptionDetails"]))
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.complaints.append(answer["params"]["entry"]["text"])
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            if answer.get("method") == "Target.attachedToTarget" and answer["params"]["targetInfo"]["type"] == "worker":
                self.workers.append(answer["params"]["sessionId"])
                # it waits until it is watched, too
                for number, command in enumerate(("Network.enable", "Runtime.runIfWaitingForDebugger"), 10 ** 6):
                    os.write(self.to, json.dumps({"id": number, "method": command, "params": {}, "sessionId": self.workers[-1]}).encode() + b"\0")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]

    def watch_requests(self) -> None:
        """Note all requests of the page and of the workers that it begins from now on."""
        self.call("Network.enable")
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    def in_worker(self, expression: str) -> Any:
        """The value of a JavaScript expression in the newest worker."""
        page, self.session = self.session, self.workers[-1]
        try:
            return self.js(expression)
        finally:
            self.session = page

    # === Actions of a user ===

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded."""
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def point(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.mouse("mouseMoved", x, y)

    def click(self, x: float, y: float) -> None:
        """Move the mouse and click."""
        self.point(x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def key(self, key: str, text: str = "") -> None:
        """Press and release a key."""
        code = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                "ArrowDown": 40}.get(key, 0)
        text = "\r" if key == "Enter" else text
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, code=key, text=text,
                  windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def write(self, text: str) -> None:
        """Type a text."""
        self.call("Input.insertText", text=text)

    def choose(self, selector: str, paths: list[str]) -> None:
        """Choose files for an input, as the dialogue of its button does it."""
        node = self.call("DOM.querySelector", nodeId=self.call("DOM.getDocument")["root"]["nodeId"], selector=selector)
        self.call("DOM.setFileInputFiles", nodeId=node["nodeId"], files=paths)

    # === State of the page ===

    def js(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failure(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def shot(self, name: str) -> None:
        """Save a screenshot of the window as a PNG file."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(name, "wb") as file:
            file.write(base64.b64decode(data))
