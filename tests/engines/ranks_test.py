"""sweep --launch without an engine: its variables are set by hand, so that it is sure who begins when
and who is killed where.

ranks_test.py CLI DRIVER
"""
import json
import pathlib
import sys
import tempfile

from support import (AXES, QUICK, card_environment, keys, kill, leftovers, marks, rank_environment, rows, run,
                     start, wait_until)

cli, driver = sys.argv[1:]


def sweep(out, *more, launch=True):
    return [cli, "sweep", *QUICK, *AXES, "--device", "cuda", "--out", out, *more,
            *(["--launch", "mpirun"] if launch else [])]


class Case:
    def __init__(self, folder, **more):
        self.home = pathlib.Path(folder)
        self.state = self.home / "state"
        self.environment = card_environment(driver, self.state, 3, **more)
        self.out = self.home / "ranks.jsonl"

    def rank(self, rank, size, run_name="1"):
        return rank_environment(self.environment, rank, size, run_name)


def alone(case):
    out = case.home / "alone.jsonl"
    run(sweep(out, launch=False), case.environment)
    return rows(out)


def test_one_rank_ends_after_the_other():
    """The first finds all tiles its own; the second, late, has nothing left and reports."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(folder)
        expected = alone(case)
        first = run(sweep(case.out, "--json"), case.rank(0, 2))
        assert first.stdout == "", "the last one prints the document"
        assert "rank 0 of 2 is done; rank 1 has not been seen so far" in first.stderr, first.stderr
        assert keys(rows(case.out)) == keys(expected), "what is done is there at once"
        # As a rank leaves it that is killed while it puts results together.
        (case.home / "ranks.jsonl.new-1-0").write_text("half a line")
        second = run(sweep(case.out, "--json"), case.rank(1, 2))
        document = json.loads(second.stdout)
        assert document == rows(case.out)
        assert [list(row) for row in document] == [list(row) for row in expected]
        assert "8 results" in second.stderr and "by 2 ranks, 1 illegal" in second.stderr, second.stderr
        assert leftovers(case.out) == [], leftovers(case.out)


def test_a_rank_that_dies():
    with tempfile.TemporaryDirectory() as folder:
        # Whatever runs on the second card never ends.
        case = Case(folder, TILESCOPE_EMULATED_FAULT="hang@1:01_naive")
        expected = alone(case)
        hung = start(sweep(case.out, "--time-limit", "1000"), case.rank(1, 3))
        wait_until(lambda: marks(case.state, "hanging-"), "a kernel that hangs", hung)

        refused = run(sweep(case.out, launch=False), case.environment, 2)
        assert "a sweep with --launch is still writing" in refused.stderr, refused.stderr
        refused = run(sweep(case.out), case.rank(0, 2, "another start"), 2)
        assert "another sweep with --launch is writing" in refused.stderr, refused.stderr
        other = run(sweep(case.out, "--beta", "1"), case.rank(0, 3), 2)
        assert "another sweep than the ranks before it" in other.stderr, other.stderr

        # While one hangs the other does all the rest, and waits for nobody.
        run(sweep(case.out), case.rank(0, 3))
        kept = rows(case.out)
        assert keys(kept) == keys(expected)[1:], "the first tile is with the one that hangs"
        kill(hung.pid)
        hung.communicate()
        last = run(sweep(case.out, "--json"), case.rank(2, 3), 4)
        sentence = json.loads(last.stdout)["error"]["message"]
        assert sentence.startswith("1 of 9 tiles are left (block_m=32,block_n=4), since rank 1 of 3 ended before "
                                   "it was done; what was measured is in"), sentence
        assert "the same command goes on with it" in sentence
        assert last.stderr.count(sentence) == 1

        # With another number of ranks, of which the second card is none.
        again = run(sweep(case.out), case.rank(0, 1, "2"))
        assert "8 results" in again.stderr and "(7 from an earlier run)" in again.stderr, again.stderr
        assert keys(rows(case.out)) == keys(expected), "in the order of a run alone"
        assert [row for row in rows(case.out) if row in kept] == kept, "nothing was measured twice"
        assert leftovers(case.out) == []


def test_all_are_killed():
    """What is left of ranks beside --out is found by whoever comes next, alone or not."""
    for launch in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            case = Case(folder)
            expected = alone(case)
            lines = [json.dumps(row) for row in expected]
            foreign = '{"kernel":"naive","device":"Another card"}'
            case.out.write_text(foreign + "\n" + lines[4] + "\n")
            (case.home / "ranks.jsonl.rank0of4").write_text(lines[5] + "\n" + lines[1] + "\n")
            # Put into --out before the kill; and a line that was not written whole.
            (case.home / "ranks.jsonl.rank3of4").write_text(lines[4] + "\n" + lines[2][:40])
            (case.home / "ranks.jsonl.ranks").write_text('{"run":"0.","size":4,"tasks":9,"what":"?"}\n{"star')
            (case.home / "ranks.jsonl.rank_of_cards").write_text("somebody else's")
            done = run(sweep(case.out, launch=launch), case.rank(0, 1))
            assert "8 results" in done.stderr and "(3 from an earlier run)" in done.stderr, done.stderr
            found = case.out.read_text().splitlines()
            assert found[0] == foreign
            saved = [json.loads(line) for line in found[1:]]
            assert sorted(keys(saved)) == sorted(keys(expected)), "none twice, none lost"
            assert [row for row in saved if row in expected] == \
                   sorted((expected[i] for i in (1, 4, 5)), key=saved.index)
            if launch:
                assert keys(saved) == keys(expected)
            assert leftovers(case.out) == ["ranks.jsonl.rank_of_cards"], leftovers(case.out)


def test_a_rank_without_a_card_leaves_its_work_to_the_others():
    with tempfile.TemporaryDirectory() as folder:
        case = Case(folder)
        nothing = run(sweep(case.out), dict(case.rank(0, 2), TILESCOPE_EMULATED_FAULT="no_device"))
        assert "rank 0 of 2: there is no card" in nothing.stderr, nothing.stderr
        other = run(sweep(case.out), case.rank(1, 2))
        assert "8 results" in other.stderr, other.stderr


def test_several_ranks_a_card():
    with tempfile.TemporaryDirectory() as folder:
        case = Case(folder, TILESCOPE_EMULATED_DEVICES="2")
        run(sweep(case.out), case.rank(0, 3))
        shared = run(sweep(case.out), case.rank(2, 3))
        assert "cuda:0 has several ranks, which disturb each other's times; start at most 2" in shared.stderr


def test_climbs_are_shared_by_their_starts():
    def climb(out, *more):
        return [cli, "sweep", *QUICK, "--tile", "block_m=32", "--tile", "block_n=4", "--climb", "3",
                "--device", "emulator", "--out", out, "--json", *more]

    with tempfile.TemporaryDirectory() as folder:
        case = Case(folder)
        expected = json.loads(run(climb(case.home / "alone.jsonl"), case.environment).stdout)
        run(climb(case.out, "--launch", "mpirun"), case.rank(0, 2))
        document = json.loads(run(climb(case.out, "--launch", "mpirun"), case.rank(1, 2)).stdout)
        assert keys(document) == keys(expected)
        one = [cli, "sweep", *QUICK, "--climb", "3", "--launch", "mpirun", "--out", case.out, "--json"]
        refused = run(one, case.rank(0, 3), 2)
        assert "so 3 ranks cannot share one start" in json.loads(refused.stdout)["error"]["message"]
        others = run(one, case.rank(1, 3))  # code 0: an engine would end the one that reports
        assert others.stdout == "" and "cannot share one start" in others.stderr


def test_words():
    with tempfile.TemporaryDirectory() as folder:
        case = Case(folder)
        missing = run(sweep(case.out), case.environment, 2)
        assert "OMPI_COMM_WORLD_RANK is not set, so mpirun did not start this process; start it with: mpirun -n 4 " \
               "tilescope-cli sweep --launch mpirun …" in missing.stderr, missing.stderr
        bad = run(sweep(case.out), dict(case.rank(0, 2), OMPI_COMM_WORLD_RANK="2"), 2)
        assert "OMPI_COMM_WORLD_RANK is '2', not a whole number from 0 to 1" in bad.stderr, bad.stderr
        unknown = run([cli, "sweep", "--launch", "qsub"], case.environment, 2)
        assert "--launch: there is no 'qsub'; choose mpirun or srun" in unknown.stderr, unknown.stderr


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok:", name)
