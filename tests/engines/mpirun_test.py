"""sweep --launch mpirun under Open MPI: three ranks beside the same sweep alone, one of them killed, and
gone on with.

mpirun_test.py CLI DRIVER
"""
import json
import pathlib
import sys
import tempfile

from support import (AXES, QUICK, card_environment, keys, kill, leftovers, marks, processes, rows, run, skip_without,
                     start, wait_until)

cli, driver = sys.argv[1:]
skip_without("mpirun")

with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    state, out, alone = home / "state", home / "ranks.jsonl", home / "alone.jsonl"
    environment = card_environment(driver, state, 3, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                   OMPI_MCA_rmaps_base_oversubscribe="1")

    def sweep(file, *more):
        return [cli, "sweep", *QUICK, *AXES, "--device", "cuda", "--out", file, *more]

    def ranks(size, *more, engine=()):
        return ["mpirun", "--oversubscribe", *engine, "-n", size, *sweep(out, "--launch", "mpirun", *more)]

    run(sweep(alone), environment)
    expected = rows(alone)
    done = run(ranks(3), environment)
    assert keys(rows(out)) == keys(expected), "the same tiles in the same order"
    assert [list(row) for row in rows(out)] == [list(row) for row in expected], "the same lines"
    assert all(row["verified"]["ok"] for row in rows(out))
    # By their characters: mpirun passes on what each rank writes as it comes, and may cut one's line by another's.
    assert sorted(done.stdout) == sorted(out.read_text()), f"each result said once: {done.stdout}"
    assert "8 results" in done.stderr and "by 3 ranks, 1 illegal tiles skipped" in done.stderr, done.stderr
    assert leftovers(out) == [], leftovers(out)

    before = out.read_text()
    again = run(ranks(2, "--json"), environment)
    assert json.loads(again.stdout) == rows(out), "one document"
    assert "(8 from an earlier run)" in again.stderr, again.stderr
    assert out.read_text() == before, "nothing is measured any more"

    # One rank hangs and is killed; mpirun then ends the others, wherever they are.
    out.unlink()
    hangs = dict(environment, TILESCOPE_EMULATED_FAULT="hang@1:01_naive")
    engine = start(ranks(3, "--time-limit", "1000"), hangs)
    wait_until(lambda: marks(state, "hanging-"), "a kernel that hangs", engine)

    def is_rank_1(arguments, variables):
        return str(out).encode() in arguments and b"OMPI_COMM_WORLD_RANK=1\0" in variables

    for pid in processes(is_rank_1):
        kill(pid)
    engine.communicate()
    assert engine.returncode != 0
    wait_until(lambda: not processes(lambda arguments, _: str(out).encode() in arguments), "the end of all ranks")
    resumed = run(ranks(2), environment)
    assert "8 results" in resumed.stderr, resumed.stderr
    assert keys(rows(out)) == keys(expected)
    assert leftovers(out) == [], leftovers(out)
    before = out.read_text()
    assert "(8 from an earlier run)" in run(sweep(out), environment).stderr, "alone, too"
    assert out.read_text() == before

    # Told to go on without it, the others finish, and what is left is named.
    out.unlink()
    for mark in marks(state, "hanging-"):
        (state / mark).unlink()
    engine = start(ranks(3, "--time-limit", "1000", engine=["--enable-recovery"]), hangs)
    wait_until(lambda: marks(state, "hanging-"), "a kernel that hangs", engine)
    wait_until(lambda: out.exists() and len(rows(out)) >= 7, "what the other two measure", engine)
    for pid in processes(is_rank_1):
        kill(pid)
    engine.communicate()
    kept = rows(out)
    assert len(kept) == 7
    assert "(7 from an earlier run)" in run(ranks(3), environment).stderr
    assert [row for row in rows(out) if row in kept] == kept, "what was measured stays as it was"
print("ok")
