#!/usr/bin/env python3
"""bench/model/launches.py choose JOBS [--cli CLI] [--seed 1] [--tensor 3] [--simt 2]
bench/model/launches.py measure JOBS --out RESULTS [--cli CLI] [--device cuda:0] [--seconds 0.3] [--limit N]
                        [--until 500] [--counted 0] [--cores N] [--dry]
bench/model/launches.py store RESULTS --out FILE

What the model of time is fitted to and judged by: random legal tiles of every rung on shapes of networks
(bench/model/networks.py). `choose` needs no card: for each shape and each rung of `kernels --json` so many tiles,
more of rungs on tensor cores, whose launches the model takes to be short enough. `measure` compiles all of them
on all cores, then times each, cold (a line of JSON a result, as recordings have it), then has COUNTED of them
counted by ncu. What is in RESULTS already is not measured again; after UNTIL seconds it begins nothing new.
--dry: every step but the card's, which the model stands for. `store`: the same results shorter, for
tests/fixtures/model, from where bench_fit and bench_judge have them.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
for place in (HERE, HERE.parent.parent / "python"):
    sys.path.insert(0, str(place))
from networks import SHAPES  # noqa: E402

LONGEST = 0.03  # seconds of a launch, as the model has it
CARD = "NVIDIA H200"


def call(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True)


def identity(row):
    """What makes two launches the same one."""
    tile = ",".join(f"{k}={v}" for k, v in row["tile"].items())
    return " ".join([row["kernel"], tile, "x".join(map(str, row["size"])), ",".join(row["types"]), row["layout"]])


def on_tensor_cores(kernel):
    return any(types[0] != "f32" for types in kernel["types"])


def random_tile(cli, kernel, size, layout, types, draw):
    """A legal tile's row, whose launch does not take too long; None if there seems to be none."""
    slow = 0
    while slow < 6:
        tile = {s["name"]: draw.choice(s["values"]) for s in kernel["sliders"]}
        asked = ["--kernel", kernel["id"], "--tile", ",".join(f"{k}={v}" for k, v in tile.items()),
                 "--types", ",".join(types), "--layout", layout, "--size", "x".join(map(str, size))]
        request = call(cli, "request", *asked, "--device", CARD, "--json")
        if request.returncode != 0:
            continue  # illegal
        us = json.loads(call(cli, "model", *asked, "--device", CARD, "--json").stdout)["time"]["us"]
        if us <= LONGEST * 1e6:
            return {"kernel": kernel["id"], "tile": tile, "size": list(size), "types": types, "layout": layout,
                    "us": us, "request": json.loads(request.stdout)}
        slow += 1
    return None


def choose(options):
    kernels = json.loads(call(options.cli, "kernels", "--json").stdout)
    rows, known = [], set()
    for m, n, k, layout, types in SHAPES:
        for kernel in kernels:
            # Each place has a stream of numbers of its own: another rung or shape changes no other's.
            draw = random.Random(f"{options.seed} {m}x{n}x{k} {kernel['id']}")
            fits = types if types in kernel["types"] else kernel["types"][0]
            own = json.loads(call(options.cli, "model", "--kernel", kernel["id"], "--json").stdout)["layout"]
            wanted = layout if layout in kernel["layouts"] else own
            for _ in range(options.tensor if on_tensor_cores(kernel) else options.simt):
                row = random_tile(options.cli, kernel, (m, n, k), wanted, fits, draw)
                if row and identity(row) not in known:
                    known.add(identity(row))
                    rows.append(row)
    pathlib.Path(options.jobs).write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{len(rows)} launches of {len(SHAPES)} shapes, {sum(r['us'] for r in rows) * 1e-6:.2f} s by the model")
    return 0


class Bench:
    def __init__(self, options):
        self.options = options
        os.environ["TILESCOPE_CLI"] = str(options.cli)
        from tilescope import Worker, TilescopeError
        self.worker, self.error = Worker, TilescopeError
        self.end = time.monotonic() + options.until
        self.out = pathlib.Path(options.out)
        done = [json.loads(line) for line in self.out.read_text().splitlines()] if self.out.exists() else []
        self.card = done[-1]["device"] if done else CARD  # that of the last launch timed
        self.known = {(identity(r), "counters" in r) for r in done}
        self.jobs = [json.loads(line) for line in pathlib.Path(options.jobs).read_text().splitlines()]
        if options.limit:  # spread over all of them
            self.jobs = self.jobs[::max(1, len(self.jobs) // options.limit)][:options.limit]
        self.lock, self.failed, self.local = threading.Lock(), 0, threading.local()
        self.workers = []

    def own_worker(self):
        if not hasattr(self.local, "worker"):
            self.local.worker = self.worker()
            with self.lock:
                self.workers.append(self.local.worker)
        return self.local.worker

    def fail(self, what, job, why):
        with self.lock:
            self.failed += 1
            print(f"{what} failed: {identity(job)}: {why}"[:400], flush=True)

    def left(self):
        return time.monotonic() < self.end

    def save(self, job, values):
        row = {key: job[key] for key in ("kernel", "tile", "size", "types", "layout")}
        with self.lock, open(self.out, "a") as file:
            file.write(json.dumps({**row, "alpha": 1.0, "beta": 0.0, **values}, separators=(",", ":")) + "\n")

    def compile(self, job):
        if not self.left():
            return
        try:
            self.own_worker().call("compile", {**job["request"], "arch": "sm_90", "ptx_is_enough": self.options.dry},
                                   device="compiler")
        except self.error as error:
            self.fail("compile", job, error)

    def time(self, job):
        if self.options.dry:
            self.save(job, {"device": CARD, "standing": "modelled", "date": str(datetime.date.today()),
                            "time_us": job["us"], "tflops": 0.0, "cold": True})
            return
        try:
            answer = self.own_worker().call(
                "measure", {**job["request"], "seconds": self.options.seconds, "rest": 3, "library": False},
                device=self.options.device).value
        except self.error as error:
            self.fail("measure", job, error)
            return
        result = answer.get("result", answer)
        if not (result.get("verified") or {}).get("ok"):
            self.fail("verify", job, result.get("verified"))
            return
        self.card = result["device_name"]
        kept = ("tflops", "spread", "samples", "time_us", "cold", "registers", "spill_bytes", "clock_mhz", "power_w",
                "throttle", "driver")
        self.save(job, {"device": result["device_name"], "standing": "measured", "date": result["date"],
                        **{key: result[key] for key in kept if result.get(key) not in (None, "")},
                        "arch": answer.get("arch"), "revision": answer.get("revision")})

    def count(self, job):
        if not self.left() or self.options.dry:
            return
        try:
            answer = self.own_worker().call("counters", job["request"], device=self.options.device).value
        except self.error as error:
            self.fail("count", job, error)
            return
        self.save(job, {"device": self.card, "standing": "measured", "date": answer["date"],
                        "counters": answer["counters"], "counters_by": answer.get("tool", "")})

    def spread(self, step, jobs, cores):
        with concurrent.futures.ThreadPoolExecutor(cores) as pool:
            list(pool.map(step, jobs))
        for worker in self.workers:
            worker.close()
        self.workers = []
        self.local = threading.local()

    def run(self):
        options, begin = self.options, time.monotonic()
        timed = [job for job in self.jobs if (identity(job), False) not in self.known]
        self.spread(self.compile, timed, options.cores)
        print(f"compiled after {time.monotonic() - begin:.0f} s", flush=True)
        for job in timed:
            if self.left():
                self.time(job)
        print(f"timed after {time.monotonic() - begin:.0f} s", flush=True)
        # Those to be counted are spread over all.
        by_hash = sorted(self.jobs, key=lambda j: hashlib.sha256(identity(j).encode()).hexdigest())
        counted = [job for job in by_hash[:options.counted] if (identity(job), True) not in self.known]
        self.spread(self.count, counted, min(options.cores, 12))
        for worker in self.workers:
            worker.close()
        lines = self.out.read_text().splitlines() if self.out.exists() else []
        print(f"{self.failed} failed; {len(lines)} results after {time.monotonic() - begin:.0f} s")
        return 1 if self.failed else 0


def store(options):
    def short(value):
        return float(f"{value:.6g}") if isinstance(value, float) else value
    lines = []
    for line in pathlib.Path(options.jobs).read_text().splitlines():
        row = json.loads(line)
        for name in ("alpha", "beta", "driver", "samples", "revision"):
            row.pop(name, None)
        for name, value in row.items():
            row[name] = {k: short(v) for k, v in value.items()} if name == "counters" else short(value)
        lines.append(json.dumps(row, separators=(",", ":")))
    pathlib.Path(options.out).write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} results")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["choose", "measure", "store"])
    parser.add_argument("jobs")
    parser.add_argument("--cli", default=str(HERE.parent.parent / "build/release/bin/tilescope-cli"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tensor", type=int, default=3)
    parser.add_argument("--simt", type=int, default=2)
    parser.add_argument("--out", default="model-launches.jsonl")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--until", type=float, default=500)
    parser.add_argument("--counted", type=int, default=0)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--dry", action="store_true")
    options = parser.parse_args()
    does = {"choose": choose, "measure": lambda o: Bench(o).run(), "store": store}
    return does[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
