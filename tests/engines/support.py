"""What the tests of other people's engines share: the stand-in card, sweeps, and waiting for events."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

LIMIT = 120  # seconds; reached only by a test that fails
SKIPPED = 77  # the exit code that CTest is told to take for it
# Eight tiles and one that is illegal.
AXES = ["--axis", "block_n=4,8,16", "--axis", "block_m=32,64,128"]
QUICK = ["--kernel", "naive", "--size", "64", "--seconds", "0.01", "--rest", "0", "--no-counts"]


def skip_without(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"skipped: there is no {program}")
            sys.exit(SKIPPED)


def card_environment(driver, state, devices=1, **more):
    """For processes whose cards are the emulator's, by tests/driver."""
    pathlib.Path(state).mkdir(exist_ok=True)
    variables = dict(os.environ, TILESCOPE_CUDA_DRIVER=driver, TILESCOPE_EMULATED_STATE=str(state),
                     TILESCOPE_EMULATED_DEVICES=str(devices), TILESCOPE_CUBLASLT="/nowhere/libcublasLt.so.13")
    for name in list(variables):
        if name.startswith(("OMPI_COMM", "PMIX_", "SLURM_")):
            del variables[name]
    return dict(variables, **more)


def rank_environment(environment, rank, size, run="1"):
    """As Open MPI's, without it: so that a test decides who begins when."""
    return dict(environment, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE=str(size),
                OMPI_COMM_WORLD_LOCAL_RANK=str(rank), PMIX_NAMESPACE=run)


def run(command, environment, code=0):
    done = subprocess.run([str(c) for c in command], env=environment, capture_output=True, text=True,
                          timeout=LIMIT, stdin=subprocess.DEVNULL)
    assert done.returncode == code, f"{done.returncode}, not {code}: {' '.join(map(str, command))}\n" \
                                    f"{done.stdout}\n{done.stderr}"
    return done


def start(command, environment, **more):
    return subprocess.Popen([str(c) for c in command], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def wait_until(happens, what, process=None):
    """What it returns, as soon as that is true. `process` must not end before."""
    end = time.monotonic() + LIMIT
    while True:
        found = happens()
        if found:
            return found
        if process is not None and process.poll() is not None:
            out, said = process.communicate()
            raise AssertionError(f"ended before: {what}\n{out}\n{said}")
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.02)


def marks(state, prefix):
    return [file.name for file in pathlib.Path(state).iterdir() if file.name.startswith(prefix)]


def rows(file):
    """The results in a file; a line that was cut short is none."""
    found = []
    for line in pathlib.Path(file).read_text().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def keys(results):
    return [row["sweep_key"] for row in results]


def processes(holds):
    """Pids of those whose command line and environment (bytes, parted by zeros) satisfy `holds`."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if holds((folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def kill(pid, number=signal.SIGKILL):
    os.kill(pid, number)


def leftovers(out):
    out = pathlib.Path(out)
    return sorted(file.name for file in out.parent.glob(out.name + ".*"))
