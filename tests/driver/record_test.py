"""bench/record on the stand-in card: killed in the middle and with a line cut short, it goes on, repeats
nothing and loses nothing.

record_test.py RECORD CLI DRIVER
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

record, cli, driver = sys.argv[1:]
KERNEL, ROWS = "mma_multistage", 3  # of which 512³ is emulated fastest


def command(out):
    return [sys.executable, record, "--cli", cli, "--out", str(out), "--kernel", KERNEL, "--largest", "512",
            "--rows", str(ROWS), "--minutes", "20", "--time-limit", "600"]


def rows(out):
    found = []
    for line in out.read_text().splitlines() if out.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    environment = dict(os.environ, TILESCOPE_CUDA_DRIVER=driver, TILESCOPE_CUBLASLT="/nowhere/libcublasLt.so.13",
                       TILESCOPE_EMULATED_STATE=str(home / "state"))
    out = home / "card.json"
    first = subprocess.Popen(command(out), env=environment, start_new_session=True, stderr=subprocess.PIPE)
    while not rows(out) and first.poll() is None:
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    said = first.stderr.read().decode()
    first.wait()
    kept = rows(out)
    assert kept, f"nothing was saved before the kill: {said}"

    # A kill within a write leaves part of a line.
    with out.open("a") as file:
        file.write('{"kernel":"mma_multistage","til')
    again = subprocess.run(command(out), env=environment, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    found = rows(out)
    assert found[:len(kept)] == kept, "what was measured stays as it was"
    keys = [row["sweep_key"] for row in found]
    assert len(set(keys)) == len(keys), f"measured twice: {keys}"
    assert len(found) >= ROWS, f"{len(found)} rows: {again.stderr}"
    assert all(row["verified"]["ok"] and row["tflops"] for row in found)
    assert {row["kernel"] for row in found} == {KERNEL}

    # All is there: nothing is measured any more.
    before = out.read_text()
    third = subprocess.run(command(out), env=environment, capture_output=True, text=True)
    assert third.returncode == 0, third.stderr
    assert out.read_text() == before
print(f"{len(found)} rows, {len(kept)} before the kill")
