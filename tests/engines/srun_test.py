"""sweep --launch srun under Slurm, whose daemons run on this machine for as long as the test does.

srun_test.py CLI DRIVER
"""
import json
import pathlib
import sys
import tempfile

from slurm import PROGRAMS, Slurm
from support import (AXES, QUICK, card_environment, keys, kill, leftovers, marks, processes, rows, run, skip_without,
                     start, wait_until)

cli, driver = sys.argv[1:]
skip_without(*PROGRAMS)


def test(home, slurm):
    state, out, alone = home / "card", home / "ranks.jsonl", home / "alone.jsonl"
    environment = card_environment(driver, state, 3, **slurm.environment)

    def sweep(file, *more):
        return [cli, "sweep", *QUICK, *AXES, "--device", "cuda", "--out", file, *more]

    def ranks(size, *more):
        return ["srun", "-n", size, *sweep(out, "--launch", "srun", *more)]

    run(sweep(alone), environment)
    expected = rows(alone)
    done = run(ranks(3), environment)
    assert keys(rows(out)) == keys(expected), "the same tiles in the same order"
    assert sorted(done.stdout.splitlines()) == sorted(out.read_text().splitlines()), "each result said once"
    assert "8 results" in done.stderr and "by 3 ranks, 1 illegal tiles skipped" in done.stderr, done.stderr
    again = run(ranks(2, "--json"), environment)
    assert json.loads(again.stdout) == rows(out), "one document"
    assert "(8 from an earlier run)" in again.stderr, again.stderr

    # srun lets the others finish when one is killed.
    out.unlink()
    engine = start(ranks(3, "--time-limit", "1000"), dict(environment, TILESCOPE_EMULATED_FAULT="hang@1:01_naive"))
    wait_until(lambda: marks(state, "hanging-"), "a kernel that hangs", engine)
    for pid in processes(lambda arguments, variables: str(out).encode() in arguments
                         and b"\0SLURM_PROCID=1\0" in b"\0" + variables):
        kill(pid)
    engine.communicate()
    assert engine.returncode != 0
    kept = rows(out)
    assert len(kept) == 7, "all but the one that hung"
    resumed = run(ranks(2), environment)
    assert "8 results" in resumed.stderr and "(7 from an earlier run)" in resumed.stderr, resumed.stderr
    assert keys(rows(out)) == keys(expected)
    assert [row for row in rows(out) if row in kept] == kept
    assert leftovers(out) == []


# What Slurm starts for a step may outlast its daemons for a moment.
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    daemons = Slurm(folder, cpus=4)
    try:
        test(pathlib.Path(folder), daemons)
    finally:
        daemons.stop()
print("ok")
