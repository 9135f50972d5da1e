# SPDX-License-Identifier: GPL-2.0-only
"""What runs guests: its output is passed on, its failure is named, and nothing is left when it is interrupted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from papers import guest
from papers.guest import Failed, Machine, parse_size


def test_lines_are_passed_on(tmp_path: Path) -> None:
    said: list[str] = []
    machine = Machine(tmp_path, "6.12", said.append)
    machine.run(["sh", "-c", 'echo one; echo "$WORD" >&2'], {"WORD": "two"})
    assert said == ["one", "two"]
    assert (tmp_path / "guest.log").read_text(encoding="utf-8") == "one\ntwo\n"


def test_failure_is_named(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "6.12", lambda line: None)
    with pytest.raises(Failed, match=r"status 3: one \| two; see .*guest.log"):
        machine.run(["sh", "-c", "echo one; echo two; exit 3"])


def test_interrupted_leaves_no_process(tmp_path: Path) -> None:
    """The child gets TERM, so that it can end its guest, and is waited for."""

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    machine = Machine(tmp_path, "6.12", interrupt)
    pid = tmp_path / "pid"
    with pytest.raises(KeyboardInterrupt):
        machine.run(
            [
                "sh",
                "-c",
                f"trap 'echo ended >>{pid}; exit 1' TERM; echo $$ >{pid}; echo begun; while :; do sleep 0.05; done",
            ]
        )
    words = pid.read_text(encoding="utf-8").split()
    assert words[1:] == ["ended"]
    assert not os.path.exists(f"/proc/{words[0]}")


def test_aged_volumes_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the cache; each experiment gets a copy of its own. What fails half-way is not kept."""
    said: list[str] = []
    machine = Machine(tmp_path, "6.12", said.append)
    made: list[str] = []

    def age(command: list[object]) -> None:
        made.append(str(command[-1]))
        image = Path(str(command[command.index("-D") + 1]))
        assert image.stat().st_size == 2 << 30
        if len(made) == 1:
            raise Failed("no guest")
        os.truncate(image, 3)

    monkeypatch.setattr(machine, "run", age)
    plain = guest.output
    monkeypatch.setattr(guest, "output", lambda command: f"{tmp_path}\n" if "cache" in command else plain(command))
    with pytest.raises(Failed):
        machine.aged("full")
    assert list((tmp_path / "papers").iterdir()) == [] and machine.commands == []
    for _ in range(2):
        copy = Path(machine.aged("full"))
        assert copy.parent == tmp_path and copy.stat().st_size == 3
        copy.unlink()
    assert [path.name for path in (tmp_path / "papers").iterdir()] == ["full-0.97-0.3-1-6.12.img"]
    assert made == ["selftests/papers/in_guest/age.sh 0.97 0.3 1"] * 2
    assert said == ["makes the volume, once: full-0.97-0.3-1-6.12.img"] * 2
    assert machine.commands == ["selftests/machine/vm.sh -n -k 6.12 -D full-0.97-0.3-1-6.12.img -- age.sh 0.97 0.3 1"] * 2


def test_image_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy of an aged volume goes, also if the guest fails; paths of this machine are not in the report."""
    image = tmp_path / "aged.img"
    image.touch()
    machine = Machine(tmp_path, "6.12", lambda line: None)
    monkeypatch.setattr(machine, "run", lambda command: (_ for _ in ()).throw(Failed("no guest")))
    with pytest.raises(Failed):
        machine.guest("ycsb.sh redis aged", image=str(image), limit=1)
    assert not image.exists()
    assert machine.commands == ["selftests/machine/vm.sh -k 6.12 -M 3G -D aged.img -o OUT -- ycsb.sh redis aged"]


def test_guest_of_one_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of the machine reaches it, and is shown as it could be typed; without a size it has vm.sh's own disk."""
    ran: list[list[str]] = []
    machine = Machine(tmp_path, "6.12", lambda line: None)
    monkeypatch.setattr(machine, "run", lambda command: ran.append([str(word) for word in command]))
    machine.guest("io.py", cpus=1, qemu="-icount shift=0,sleep=off", limit=9)
    assert ran[0][1:9] == ["-k", "6.12", "-M", "3G", "-c", "1", "-q", "-icount shift=0,sleep=off"]
    machine.guest("io.py", kernel="7", limit=9)
    assert ran[1][1:5] == ["-k", "7", "-M", "3G"]
    assert machine.commands == [
        "selftests/machine/vm.sh -k 6.12 -M 3G -c 1 -q '-icount shift=0,sleep=off' -o OUT -- io.py",
        "selftests/machine/vm.sh -k 7 -M 3G -o OUT -- io.py",
    ]


def test_lab_leaves_its_files_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(tmp_path, "6.12", lambda line: None)
    asked: dict[str, str] = {}
    monkeypatch.setattr(machine, "run", lambda command, settings: asked.update(settings))
    machine.lab(("motivation", "forecast"), {"SEED": "7"})
    assert (asked["OUT"], asked["KERNEL"], asked["SEED"]) == (str(tmp_path), "6.12", "7")
    assert machine.commands == ["SEED=7 selftests/lab/lab.sh motivation forecast"]


def test_the_tree_is_named_as_it_was_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours later somebody may have gone on working in it."""
    names = iter(["v1", "v2"])
    monkeypatch.setattr(guest, "first_line", lambda command: next(names) if command[0] == "git" else "x")
    machine = Machine(tmp_path, "6.12", lambda line: None)
    assert machine.versions()["fragtrace"] == "v1"


def test_sizes() -> None:
    assert [parse_size(text) for text in ("2G", "3M", "4K")] == [2 << 30, 3 << 20, 4 << 10]
