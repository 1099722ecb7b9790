"""The worker's protocol: JSON-RPC 2.0 with `tilescope-cli worker`, which keeps compilers, emulator and
cards warm, so that the second call of a notebook answers in milliseconds.

The list of calls, and what each takes and answers, is worker/messages/calls.h of the checkout; the
functions of this package use those that they need, `Worker.call` makes any.
"""
from __future__ import annotations

import atexit
import os
import subprocess
import threading
from typing import Any, Callable, Dict, Mapping, Optional

from . import frames
from .errors import Cancelled, Failed, TilescopeError, error_of
from .programs import program

_CANCELLED = -32800  # JSON-RPC's code of a call that was cancelled
_PATIENCE = 5.0  # seconds that a worker may take to leave

Progress = Callable[[Dict[str, Any]], None]


class Answer:
    """What a call came to: `value`, the JSON, and `parts`, its binary frames by type."""

    def __init__(self, value: Any, parts: Dict[str, bytes]):
        self.value = value
        self.parts = parts


class Worker:
    """A worker of one's own, ended with `with` or close(). Calls from several threads take turns.

    kernel_dir: a folder of kernels in place of those in the program.
    Raises Missing if there is no program, Failed if it does not answer.
    """

    def __init__(self, kernel_dir: Optional[str] = None):
        self._lock = threading.Lock()
        self._writes = threading.Lock()
        self._id = 0
        self._running: Optional[int] = None
        # What it says on the standard error is for whoever looks at a terminal.
        self._process = subprocess.Popen([program(), "worker"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            frames.skip_to_magic(self._out)
            hello: Dict[str, Any] = {"protocol": frames.PROTOCOL}
            if kernel_dir:
                hello["kernel_dir"] = kernel_dir
            self.hello: Dict[str, Any] = self._ask("initialize", hello, None).value
        except BaseException:
            self.close()
            raise

    @property
    def _out(self):
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def call(self, method: str, params: Optional[Mapping[str, Any]] = None, *,
             device: str = "", progress: Optional[Progress] = None) -> Answer:
        """One call; what it raises is a TilescopeError with the worker's own sentence.

        method:   "compile", "emulate", "trace", "devices", …
        device:   who serves it: "emulator", "compiler", "store", "cuda:0"; empty: the supervisor.
        progress: told what the call has so far, {"stage": "compiling"}, {"samples": 3, …}.
        An interrupt (Ctrl+C) cancels the call in the worker, then goes on as usual.
        """
        asked = dict(params or {})
        if device:
            asked["device"] = device
        with self._lock:
            return self._ask(method, asked, progress)

    def cancel(self) -> None:
        """Ends the call that runs, from another thread: there it raises Cancelled."""
        running = self._running
        if running is not None:
            self._write({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": running}})

    def close(self) -> None:
        """Ends the worker and its children: its input ends, which it waits for."""
        if self._process.stdin and not self._process.stdin.closed:
            try:
                self._process.stdin.close()
            except OSError:  # it is gone, and what was written last with it
                pass
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._out.close()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, message: Dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            with self._writes:
                self._process.stdin.write(frames.encode(message))
                self._process.stdin.flush()
        except (OSError, ValueError) as error:  # closed by it, or by us
            raise Failed(f"the worker is gone ({error}); start another one") from error

    def _ask(self, method: str, params: Mapping[str, Any], progress: Optional[Progress]) -> Answer:
        self._id += 1
        self._running = self._id
        try:
            self._write({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
            try:
                return self._wait(self._id, progress)
            except KeyboardInterrupt:
                self.cancel()
                try:
                    self._wait(self._id, None)
                except Cancelled:
                    pass
                raise
        finally:
            self._running = None

    def _wait(self, call: int, progress: Optional[Progress]) -> Answer:
        parts: Dict[str, bytes] = {}
        while True:
            frame = frames.read(self._out)
            if frame is None:
                raise Failed("the worker ended before it answered; start another one")
            if frame.binary:
                if frame.call == call:
                    parts[frame.type] = parts.get(frame.type, b"") + frame.body
                continue
            message = frame.document()
            told = message.get("params") or {}
            if message.get("method") == "$/progress" and told.get("id") == call and progress:
                progress(told.get("value") or {})
            if "method" in message or message.get("id") != call:
                continue
            if "error" in message:
                raise _error_of_reply(message["error"])
            return Answer(message.get("result"), parts)


def _error_of_reply(error: Mapping[str, Any]) -> TilescopeError:
    data = error.get("data") or {}
    detail = data.get("detail") or {}
    if not isinstance(detail, dict):
        detail = {}
    message = str(error.get("message", "")) or "the worker failed without saying why"
    if error.get("code") == _CANCELLED:
        return Cancelled(message)
    return error_of(int(data.get("exit_code", 4)), message, str(detail.get("log", "")), detail)


_shared: Dict[Optional[str], Worker] = {}
_shared_lock = threading.Lock()


def shared_worker(kernel_dir: Optional[str] = None) -> Worker:
    """The worker that the functions of this package share; ended with the interpreter. One that has
    ended is started anew."""
    with _shared_lock:
        worker = _shared.get(kernel_dir)
        if worker is None or not worker.alive:
            worker = _shared[kernel_dir] = Worker(kernel_dir)
        return worker


@atexit.register
def close_shared() -> None:
    """Ends the shared workers; the next call starts one again."""
    with _shared_lock:
        for worker in _shared.values():
            worker.close()
        _shared.clear()


# A forked process must not speak on the pipes of its parent's.
os.register_at_fork(after_in_child=_shared.clear)
