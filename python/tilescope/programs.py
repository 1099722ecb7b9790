"""Where the two programs lie, and what the command line answers.

Nothing is computed here: `answer_of("model", "--size", "512")` is what
`tilescope-cli model --size 512 --json` prints, read as JSON.
"""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from .errors import BadRequest, Failed, Missing, error_of

VARIABLE = "TILESCOPE_CLI"  # names the program, where another one than the package's is wanted


def _candidates() -> Iterator[str]:
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "bin", "tilescope-cli")  # a wheel
    # A checkout: what ./run has built.
    yield os.path.join(here, "..", "..", "build", "release", "bin", "tilescope-cli")
    on_path = shutil.which("tilescope-cli")
    if on_path:
        yield on_path


def program(name: str = "tilescope-cli") -> str:
    """The path of `tilescope-cli`, or of `tilescope`, the window, which lies beside it.

    In order: what $TILESCOPE_CLI names, the package's own, the checkout's build, $PATH.
    Raises Missing if there is none.
    """
    given = os.environ.get(VARIABLE)
    if given and not os.access(given, os.X_OK):
        raise Missing(f"{VARIABLE} is {given}, which is no program that can be started", 3)
    for candidate in [given] if given else _candidates():
        path = os.path.join(os.path.dirname(os.path.realpath(candidate)), name)
        if os.access(path, os.X_OK):
            return path
    raise Missing(f"{name} is not in this package, in no build beside it and not on $PATH; install "
                  f"the wheel, build it with ./run, or name it in ${VARIABLE}", 3)


def _error_in(output: str) -> Optional[dict]:
    try:
        document = json.loads(output)
    except ValueError:
        return None
    found = document.get("error") if isinstance(document, dict) else None
    return found if isinstance(found, dict) else None


def run(arguments: Sequence[str]) -> Tuple[str, int, str]:
    """Runs the command line: its standard output, exit code and standard error."""
    try:
        done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except ValueError as error:  # a zero byte in an argument
        raise BadRequest(f"no program takes such arguments: {error}", 2) from error
    except OSError as error:  # they are too long, or it does not run here
        raise Failed(f"{program()} could not be started: {error.strerror}") from error
    return (done.stdout.decode("utf-8", "replace"), done.returncode,
            done.stderr.decode("utf-8", "replace"))


def answer_with_code(command: str, *arguments: str) -> Tuple[Any, int]:
    """The document that a command prints with --json, and its exit code: 0, or 1 where it is done
    and a check failed. Raises the TilescopeError of any other code."""
    output, code, said = run([command, *arguments, "--json"])
    error = _error_in(output)
    if error is not None:
        details = {k: v for k, v in error.items() if k not in ("code", "message")}
        message = str(error.get("message", ""))
        log = "\n".join(line for line in said.splitlines() if message not in line)
        raise error_of(int(error.get("code", code)), message, log, details)
    if code not in (0, 1):
        last = said.strip().splitlines()
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        raise error_of(code, last[-1] if last else f"tilescope-cli {command} {ended}", said)
    return json.loads(output), code


def answer_of(command: str, *arguments: str) -> Any:
    """As answer_with_code, for commands that check nothing."""
    return answer_with_code(command, *arguments)[0]


def commands() -> List[str]:
    """The names of the command line's commands, as it tells them itself."""
    output, _, _ = run(["--help"])
    block = output.split("\nCommands:\n", 1)[-1].split("\n\n", 1)[0]
    # A row begins two columns in; what is further in continues the row before.
    return [line.split()[0] for line in block.splitlines() if line[:3].strip()]
