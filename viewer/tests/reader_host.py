# SPDX-License-Identifier: GPL-2.0-only
"""The reader of pages in one process of Node, which answers many questions about many inputs."""
import base64
import json
import subprocess
from pathlib import Path
from typing import Any


class Refused(Exception):
    """What the reader said when it ended."""


class Reader:
    """The reader, until close()."""

    def __init__(self, script: Path) -> None:
        self.process = subprocess.Popen(["node", str(Path(__file__).with_name("reader_host.js")), str(script)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.memory = 0

    def tell(self, message: dict[str, Any]) -> dict[str, Any]:
        """One message and its answer."""
        assert self.process.stdin and self.process.stdout
        print(json.dumps({"id": 1, **message}), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        self.memory = answer["memory"]
        if "ended" in answer:
            raise Refused(answer["ended"])
        return answer

    def open(self, path: Path) -> None:
        """Begin a reader with a table, a snapshot or a recording."""
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        self.tell({"input": {"name": path.name, "isRecording": path.is_dir(), "paths": [
            {"path": str(one), "name": str(one.relative_to(path)) if path.is_dir() else one.name,
             "time": one.stat().st_mtime_ns // 10 ** 6} for one in files]}})

    def raw(self, what: str, **args: Any) -> tuple[int, bytes]:
        """Status, and the bytes of an answer."""
        answer = self.tell({"what": what, "pairs": [[key, str(value)] for key, value in args.items()]})
        return answer["status"], base64.b64decode(answer["data"])

    def ask(self, what: str, **args: Any) -> Any:
        """An answer in JSON."""
        status, data = self.raw(what, **args)
        assert status == 0, f"{what} {args}: {data!r}"
        return json.loads(data)

    def close(self) -> None:
        """End it."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(60)
