# SPDX-License-Identifier: GPL-2.0-only
"""Disks of the lab: what they cost is known, and what they were asked for is counted.

NullDisk costs the same for each request, one after the other. DistanceDisk costs more the farther a request
is from the one before. Both keep their data in the guest's memory.
"""
from __future__ import annotations

import fcntl
import mmap
import os
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

SECTOR = 512
MIB = 1 << 20


@dataclass(frozen=True)
class Counts:
    """What a disk has done: requests that were completed, and bytes."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int

    def __sub__(self, other: Counts) -> Counts:
        return Counts(self.reads - other.reads, self.read_bytes - other.read_bytes,
                      self.writes - other.writes, self.written_bytes - other.written_bytes)


class Disk:
    """A block device of the guest; name is that below /sys/block."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = f"/dev/{name}"

    def counts(self) -> Counts:
        field = [int(word) for word in Path(f"/sys/block/{self.name}/stat").read_text().split()]
        return Counts(field[0], field[2] * SECTOR, field[4], field[6] * SECTOR)

    def queue(self, name: str, value: str) -> None:
        Path(f"/sys/block/{self.name}/queue/{name}").write_text(value)

    def blank(self) -> None:
        """Forget all data."""
        raise NotImplementedError

    def remove(self) -> None:
        raise NotImplementedError


class NullDisk(Disk):
    """A disk of null_blk: request_ns for each request, one at a time, wherever it is."""

    def __init__(self, mib: int, request_ns: int) -> None:
        super().__init__("nullb0")
        self.config = Path("/sys/kernel/config/nullb/nullb0")
        self.settings = {"memory_backed": 1, "size": mib, "irqmode": 2, "completion_nsec": request_ns, "submit_queues": 1,
                         "hw_queue_depth": 1, "max_sectors": 2560, "discard": 1}
        subprocess.run(["modprobe", "null_blk", "nr_devices=0"], check=True)
        if not Path("/sys/kernel/config/nullb").exists():
            subprocess.run(["mount", "-t", "configfs", "none", "/sys/kernel/config"], check=True)
        self.config.mkdir()
        for name, value in self.settings.items():
            (self.config / name).write_text(str(value))
        self.power(True)

    def power(self, on: bool) -> None:
        (self.config / "power").write_text("1" if on else "0")

    def blank(self) -> None:
        """Forget all data."""
        self.power(False)
        self.power(True)

    def remove(self) -> None:
        self.power(False)
        self.config.rmdir()


class DistanceDisk(Disk):
    """A disk whose heads have to get to the request: NBD, with a server that waits.

    A distance costs what passing over it costs at the speed of reading, and at most a seek: settle_ns, more by
    the square root of the distance up to full_ns for all of the disk, and half a turn. Only while is_slow.
    """

    SET_SOCK, SET_BLKSIZE, DO_IT, SET_SIZE_BLOCKS, DISCONNECT = 0xAB00, 0xAB01, 0xAB03, 0xAB07, 0xAB08
    HEADER = struct.Struct(">IIQQI")
    REPLY = struct.Struct(">IIQ")
    REPLY_MAGIC = 0x67446698
    READ, WRITE, DISC = 0, 1, 2

    def __init__(self, mib: int, image: Path, bytes_per_s: float = 150e6, settle_ns: int = 500_000, full_ns: int = 15_000_000,
                 half_turn_ns: int = 4_170_000) -> None:
        super().__init__("nbd0")
        self.size = mib * MIB
        self.ns_per_byte = 1e9 / bytes_per_s
        self.settle_ns, self.full_ns, self.half_turn_ns = settle_ns, full_ns, half_turn_ns
        self.head = 0
        self.slow = mmap.mmap(-1, 4096)  # shared with the server
        subprocess.run(["modprobe", "nbd", "nbds_max=1", "max_part=0"], check=True)
        self.image = os.open(image, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self.blank()
        ours, servers = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.fd = os.open(self.path, os.O_RDWR)
        for request, value in ((self.SET_BLKSIZE, 4096), (self.SET_SIZE_BLOCKS, self.size // 4096), (self.SET_SOCK, ours.fileno())):
            fcntl.ioctl(self.fd, request, value)
        # Processes of their own: this one waits for the disk, sometimes with the interpreter's lock.
        self.children = [child(lambda: self.serve(servers))]
        servers.close()
        self.children.append(child(lambda: fcntl.ioctl(self.fd, self.DO_IT, 0)))
        ours.close()
        while Path(f"/sys/block/{self.name}/size").read_text().strip() == "0":
            time.sleep(0.01)

    @property
    def is_slow(self) -> bool:
        return self.slow[0] != 0

    @is_slow.setter
    def is_slow(self, value: bool) -> None:
        self.slow[0] = value

    def cost_ns(self, begin: int, length: int) -> float:
        """The time of a request, and the heads are at its end."""
        gap = abs(begin - self.head)
        seek = self.settle_ns + (self.full_ns - self.settle_ns) * (gap / self.size) ** 0.5 + self.half_turn_ns
        passing = gap * self.ns_per_byte if begin >= self.head else seek
        self.head = begin + length
        return (min(passing, seek) if gap else 0.0) + length * self.ns_per_byte

    def serve(self, server: socket.socket) -> None:
        while header := receive(server, self.HEADER.size):
            begun = time.monotonic_ns()
            _, kind, handle, begin, length = self.HEADER.unpack(header)
            kind &= 0xFFFF
            if kind == self.DISC:
                return
            data = b""
            if kind == self.WRITE:
                os.pwrite(self.image, receive(server, length), begin)
            elif kind == self.READ:
                data = os.pread(self.image, length, begin)
            cost = self.cost_ns(begin, length)
            wait = cost - (time.monotonic_ns() - begun)
            if self.is_slow and wait > 0:
                time.sleep(wait / 1e9)
            server.sendall(self.REPLY.pack(self.REPLY_MAGIC, 0, handle) + data)

    def blank(self) -> None:
        """Forget all data."""
        os.ftruncate(self.image, 0)
        os.ftruncate(self.image, self.size)

    def remove(self) -> None:
        fcntl.ioctl(self.fd, self.DISCONNECT, 0)
        for pid in self.children:
            os.waitpid(pid, 0)
        os.close(self.fd)
        os.close(self.image)


def child(work: Callable[[], Any]) -> int:
    """Do it in a process of its own; return its id."""
    pid = os.fork()
    if not pid:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def receive(server: socket.socket, length: int) -> bytes:
    """So many bytes; none at the end."""
    data = bytearray()
    while len(data) < length:
        part = server.recv(length - len(data))
        if not part:
            return b""
        data += part
    return bytes(data)
