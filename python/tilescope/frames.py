"""Frames on a byte stream: `Content-Length: N`, an empty line, N bytes; as language servers speak it,
plus binary frames, of which a message may have several (worker/protocol/frames.h).
"""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, BinaryIO, Dict, Optional

from .errors import Failed

PROTOCOL = 1
MAX_FRAME = 16 << 20  # bytes; of a binary message all chunks together 256 MiB
MAX_HEADER = 4096
MAX_JUNK = 64 << 10  # before the magic line: what a login shell printed, say
MAGIC = b"tilescope-worker "
BINARY = "application/x-tilescope-binary"


@dataclass
class Frame:
    body: bytes
    header: Dict[str, str]

    @property
    def binary(self) -> bool:
        return self.header.get("content-type", "").startswith(BINARY)

    @property
    def call(self) -> int:
        """Of a binary frame: the id of the call that it belongs to."""
        return int(self.header["tilescope-id"])

    @property
    def type(self) -> str:
        return self.header["tilescope-type"]

    def document(self) -> Any:
        return json.loads(self.body)


def encode(message: Dict[str, Any]) -> bytes:
    """One JSON-RPC message as a frame. Raises Failed if it is larger than a frame may be."""
    body = json.dumps(message).encode()
    if len(body) > MAX_FRAME:
        raise Failed(f"the message has {len(body)} bytes, the limit is {MAX_FRAME}: ask for less")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def skip_to_magic(stream: BinaryIO) -> None:
    """Reads up to and including the line with which a worker announces itself."""
    read = 0
    while read < MAX_JUNK:
        line = stream.readline(MAX_JUNK)
        if not line:
            raise Failed("the worker ended before it announced itself")
        read += len(line)
        at = line.find(MAGIC)
        if at >= 0:
            spoken = line[at + len(MAGIC):].strip().decode("ascii", "replace")
            if spoken != str(PROTOCOL):
                raise Failed(f"the worker speaks protocol {spoken}, this package speaks {PROTOCOL}: "
                             "install the same Tilescope version on both sides")
            return
    raise Failed(f"the worker did not announce itself in the first {MAX_JUNK} bytes")


def read(stream: BinaryIO) -> Optional[Frame]:
    """The next frame; None where the stream ends between two."""
    header: Dict[str, str] = {}
    taken = 0
    while True:
        line = stream.readline(MAX_HEADER)
        taken += len(line)
        if not line and taken == 0:
            return None
        if not line.endswith(b"\n") or taken > MAX_HEADER:
            raise Failed("the worker sent a header that is cut short or too long")
        if not line.strip():
            break
        name, colon, value = line.decode("ascii", "replace").partition(":")
        if not colon:
            raise Failed(f"the worker sent a header line without a colon: {name.strip()[:60]!r}")
        header[name.strip().lower()] = value.strip()
    length = header.get("content-length", "")
    if not length.isdigit() or int(length) > MAX_FRAME:
        raise Failed(f"the worker sent a frame of {length or 'no'} bytes; the limit is {MAX_FRAME}")
    body = b""
    while len(body) < int(length):
        more = stream.read(int(length) - len(body))
        if not more:
            raise Failed("the worker ended inside of a frame")
        body += more
    return Frame(body, header)
