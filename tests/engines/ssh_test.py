"""--device ssh:HOST: the worker on another machine, which is this one behind an ssh daemon of our own.

ssh_test.py CLI DRIVER SHIPPED_CLI NCCL
"""
import json
import os
import pathlib
import pwd
import shlex
import subprocess
import sys
import tempfile

from sshd import Daemon
from support import (AXES, LIMIT, QUICK, card_environment, keys, kill, marks, processes, rank_environment, rows, run,
                     skip_without, start, wait_until)

cli, driver, shipped, nccl = sys.argv[1:]
skip_without("ssh", "ssh-keygen", "/usr/sbin/sshd")
HANG = "export TILESCOPE_EMULATED_FAULT=hang:01_naive\n"


class There:
    """The other machine: what runs on it has its folder in the environment."""

    def __init__(self, home):
        self.home = home
        self.state = home / "state"
        (home / "bin").mkdir()
        # Reads its faults anew each time, so that a test can mend them.
        program = home / "bin" / "tilescope-cli"
        program.write_text(f"#!/bin/sh\n. {home}/faults\nexec {shlex.quote(cli)} \"$@\"\n")
        program.chmod(0o755)
        (home / "faults").write_text("")
        (home / ".bashrc").write_text("")
        there = card_environment(driver, self.state, 2)
        variables = {name: there[name] for name in there if name.startswith("TILESCOPE_")}
        variables["TILESCOPE_NCCL"] = nccl
        variables["PATH"] = f"{home}/bin:{os.environ['PATH']}"
        # A home of its own, so that the user's .bashrc stays out of it; what is compiled is kept where it was.
        variables["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
        variables["HOME"] = str(home)
        self.daemon = Daemon(home, variables)
        self.environment = dict(os.environ, TILESCOPE_SSH=self.daemon.client)

    def with_program(self, text):
        """Another program there, by its path."""
        program = self.home / "other cli"
        program.write_text("#!/bin/sh\n" + text)
        program.chmod(0o755)
        return dict(self.environment, TILESCOPE_REMOTE_CLI=str(program))

    def workers(self):
        return processes(lambda arguments, variables: b"\0worker\0" in arguments
                         and f"TILESCOPE_EMULATED_STATE={self.state}\0".encode() in variables)

    def forget_hangs(self):
        for mark in marks(self.state, "hanging-"):
            (self.state / mark).unlink()


def bench(device, *more):
    return [cli, "bench", *QUICK, "--device", device, "--json", *more]


def refused(there, command, code, *parts, environment=None):
    done = run(command, environment or there.environment, code)
    sentence = json.loads(done.stdout)["error"]["message"]
    assert done.stderr.count("\n") == 1 and sentence in done.stderr, done.stderr
    for part in parts:
        assert part in sentence, f"{part}: {sentence}"


def test_benches(there):
    for device, name in [("cuda:1", "Emulated GPU"), ("cuda", "Emulated GPU"), ("emulator", "emulator")]:
        result = json.loads(run(bench(f"ssh:gpu1/{device}"), there.environment).stdout)[0]
        assert result["verified"]["ok"] and result["device"] == name, result
    user = pwd.getpwuid(os.getuid()).pw_name
    assert json.loads(run(bench(f"ssh:{user}@gpu1"), there.environment).stdout)[0]["tflops"] > 0
    run([cli, "launch", "--kernel", "naive", "--size", "64", "--device", "ssh:gpu1/cuda:0"], there.environment)
    model = json.loads(run([cli, "model", "--device", "ssh:gpu1/cuda:0", "--json"], there.environment).stdout)
    assert model["device"] == "Emulated GPU"
    refused(there, bench("ssh:gpu1/cuda:7"), 3, "there is no device cuda:7 on gpu1; there is cuda:0, cuda:1")
    wait_until(lambda: not there.workers(), "the end of all that ran there")


def test_layers(there):
    layer = [cli, "layer", "column", "--tokens", "40", "--in", "24", "--out", "56", "--ranks", "2", "--seconds", "0.01",
             "--json", "--device"]
    for device, collective in [("cuda", "NCCL"), ("cuda:1", "on one card"), ("emulator", "on the host")]:
        result = json.loads(run([*layer, f"ssh:gpu1/{device}"], there.environment).stdout)
        assert result["verified"]["ok"] and collective in result["collective"], result["collective"]


def test_doctor(there):
    rows_of = json.loads(run([cli, "doctor", "--device", "ssh:gpu1", "--json"], there.environment).stdout)
    states = {row["what"]: row["state"] for row in rows_of}
    assert states["ssh:gpu1"] == states["ssh:gpu1/cuda:1"] == states["ssh:gpu1/emulator"] == "ok", rows_of
    assert "display" not in states, "that is here"


def test_sweeps(there):
    out = there.home / "sweep.jsonl"
    sweep = [cli, "sweep", *QUICK, *AXES, "--out", out, "--device"]
    run([*sweep, "ssh:gpu1/cuda:0"], there.environment)
    # A card is known by its name, wherever it is.
    here = card_environment(driver, there.home / "here")
    assert "(8 from an earlier run)" in run([*sweep, "cuda:0"], here).stderr
    out.unlink()
    for rank in (0, 1):
        run([*sweep, "ssh:gpu1/cuda", "--launch", "mpirun"], rank_environment(there.environment, rank, 2))
    assert len(set(keys(rows(out)))) == 8


def test_a_noisy_shell(there):
    if not pwd.getpwuid(os.getuid()).pw_shell.endswith("bash"):
        return print("not tried: the user's shell is not bash")
    bashrc = there.home / ".bashrc"
    bashrc.write_text("echo 'Content-Length: 3'; echo Welcome; echo 'to this machine' >&2\n")
    assert json.loads(run(bench("ssh:gpu1/cuda:0"), there.environment).stdout)[0]["verified"]["ok"]
    bashrc.write_text("yes 'Please change your password' | head -c 100000\n")
    refused(there, bench("ssh:gpu1/cuda:0"), 3, "The worker on gpu1", "did not announce itself in the first 64 KiB",
            "Please change your password", "as of .bashrc")
    bashrc.write_text("echo no shell for you; exit 5\n")
    refused(there, bench("ssh:gpu1/cuda:0"), 3, "The worker on gpu1 ended with code 5", "no shell for you")
    bashrc.write_text("")


def test_hosts_that_do_not_answer(there):
    refused(there, bench("ssh:nowhere/cuda:0"), 3, "nowhere cannot be reached: ssh ended with code 255, saying",
            "resolve")
    refused(there, bench("ssh:refusing/cuda:0"), 3, "refusing cannot be reached", "Connection refused",
            "true\" works there without a question")
    key = (there.home / "authorized_keys").read_text()
    (there.home / "authorized_keys").write_text("")
    refused(there, bench("ssh:gpu1/cuda:0"), 3, "gpu1 cannot be reached", "Permission denied")
    (there.home / "authorized_keys").write_text(key)
    refused(there, bench("ssh:gpu1/cuda:0"), 3, "ssh could not be started", "install it (openssh-client)",
            environment=dict(there.environment, TILESCOPE_SSH="no-such-ssh"))


def test_programs_that_do_not_fit(there):
    refused(there, bench("ssh:gpu1/cuda:0"), 3, "There is no no-such-cli on gpu1", "not found", "TILESCOPE_REMOTE_CLI",
            environment=dict(there.environment, TILESCOPE_REMOTE_CLI="no-such-cli"))
    refused(there, bench("ssh:gpu1/cuda:0"), 3, "speaks protocol 2, this program speaks 1", "install the same",
            environment=there.with_program("echo tilescope-worker 2; cat >/dev/null\n"))
    hello = '{"jsonrpc":"2.0","id":0,"result":{"protocol":7,"program":"9.9"}}'
    refused(there, bench("ssh:gpu1/cuda:0"), 4, "The worker on gpu1 speaks protocol 7 (Tilescope 9.9), this side "
            "speaks protocol 1 (Tilescope", "install the same version on both sides",
            environment=there.with_program(f"printf 'tilescope-worker 1\\nContent-Length: {len(hello)}\\r\\n\\r\\n"
                                           f"%s' '{hello}'; cat >/dev/null\n"))
    # The program that users get lacks the kernel of the tests: another build.
    refused(there, bench("ssh:gpu1/cuda:0"), 4, "The worker on gpu1 has other kernels (", "install the same build",
            environment=dict(there.environment, TILESCOPE_REMOTE_CLI=shipped))


def test_what_is_no_host(there):
    for host, part in [("-oProxyCommand=x", "the host begins with '-'"), ("-x@gpu1", "the user begins with '-'"),
                       ("me@-gpu1", "the host begins with '-'"), ("gpu1;x", "the host has ';' in it"),
                       ("$(x)", "the host has '$' in it"), ("a b", "the host has ' ' in it"),
                       ("", "the host is empty"), ("@gpu1", "the user is empty"), ("a@b@c", "the host has '@' in it")]:
        refused(there, bench(f"ssh:{host}/cuda:0"), 2, part, "write ssh:HOST/cuda:N")


def hanging_bench(there):
    there.forget_hangs()
    (there.home / "faults").write_text(HANG)
    process = start(bench("ssh:gpu1/cuda:0", "--time-limit", "1000"), there.environment)
    wait_until(lambda: marks(there.state, "hanging-"), "a kernel that hangs", process)
    return process


def test_a_lost_connection(there):
    process = hanging_bench(there)
    before = there.workers()
    assert before
    (there.home / "faults").write_text("")
    there.daemon.cut()
    out, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, said
    assert json.loads(out)[0]["verified"]["ok"]
    assert said.count("The connection to gpu1 was lost: ssh ended with code 255") == 1, said
    assert "It is being made anew. What was running is asked again." in said
    wait_until(lambda: not set(before) & set(there.workers()), "the end of what hung there")


def test_a_lost_machine(there):
    process = hanging_bench(there)
    sessions = there.daemon.sessions()
    there.daemon.stop()
    for pid in sessions:
        kill(pid)
    out, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 4, said
    sentence = json.loads(out)["error"]["message"]
    assert "The connection to gpu1 was lost" in sentence and "Connection refused" in sentence, sentence
    wait_until(lambda: not there.workers(), "the end of what hung there")
    (there.home / "faults").write_text("")
    (there.home / "sshd.log").write_text("")
    there.daemon.start()


def test_who_asked_is_killed(there):
    process = hanging_bench(there)
    kill(process.pid)
    process.communicate()
    wait_until(lambda: not there.workers(), "the end of what hung there")
    (there.home / "faults").write_text("")


def test_a_worker_that_hears_nothing_any_more(there):
    """The network is down: its input does not end, and nothing comes."""
    hello = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                        "params": {"protocol": 1, "program": "test", "silence_ms": 50}})
    worker = subprocess.Popen([cli, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    worker.stdin.write(f"Content-Length: {len(hello)}\r\n\r\n{hello}".encode())
    worker.stdin.flush()
    assert worker.wait(LIMIT) == 0
    worker.stdin.close()
    assert b'"kernels"' in worker.stdout.read()


with tempfile.TemporaryDirectory() as folder:
    machine = There(pathlib.Path(folder))
    try:
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test(machine)
                print("ok:", name, flush=True)
    finally:
        machine.daemon.cut()
        machine.daemon.stop()
