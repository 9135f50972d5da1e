# SPDX-License-Identifier: GPL-2.0-only
"""A fragtrace serve that a test has started, and its answers."""
import json
import re
import select
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message
from pathlib import Path
from typing import Any

URL = re.compile(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n")


def reset_signals() -> None:
    """Undo what nohup, or a shell that starts a program in the background, has made it ignore."""
    for number in signal.SIGINT, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)


class Server:
    """The program, until stop()."""

    def __init__(self, view: str, table: str | Path, *options: str) -> None:
        with open("stderr", "wb") as stderr:
            self.process = subprocess.Popen([view, "serve", "-t", str(table), "-l", "0", *options], stdout=subprocess.PIPE,
                                            stderr=stderr, text=True, preexec_fn=reset_signals)
        assert self.process.stdout
        ready = select.select([self.process.stdout], [], [], 60)[0]
        line = self.process.stdout.readline() if ready else ""
        found = URL.fullmatch(line)
        if not found:
            self.process.kill()
            raise AssertionError(f"no URL: {line!r}, {Path('stderr').read_text()!r}")
        self.url = line.strip()
        self.port, self.token = int(found[1]), found[2]

    def stop(self) -> int:
        """End it; return its status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(20)

    def request(self, url: str, method: str = "GET", **headers: str) -> tuple[int, Message, bytes]:
        """Status, headers and body of any URL."""
        request = urllib.request.Request(url, method=method, headers={k.replace("_", "-"): v for k, v in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def status(self, what: str, method: str = "GET", **args: Any) -> int:
        """The status of a path after the token."""
        return self.request(self.url + what + ("?" + urllib.parse.urlencode(args) if args else ""), method)[0]

    def ask(self, what: str, **args: Any) -> Any:
        """An answer in JSON."""
        status, _, body = self.request(self.url + what + "?" + urllib.parse.urlencode(args))
        assert status == 200, f"{what} {args}: {status} {body!r}"
        return json.loads(body)
