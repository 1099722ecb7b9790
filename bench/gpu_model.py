#!/usr/bin/env python3
"""bench/gpu_model.py choose FILE [--cli CLI] [--seed 1] [--tiles 8] [--shapes 4] [--counted 2] [--kernels ID,…]
bench/gpu_model.py measure FILE [--cli CLI] [--device cuda:0] [--seconds 600] --out RESULTS

Random legal tiles of every rung on random shapes, timed and counted on a card: what the model of time and
traffic is judged by. `choose` needs no card: it writes TILES tiles per rung, each with SHAPES problems, aligned and
ragged, in the layouts and types that the rung has. `measure` times each (a line of JSON a result, as `bench
--json`), then counts the first COUNTED shapes of each tile (ncu), and goes on where RESULTS was cut off.
bench/judge says how far the model is from RESULTS.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALLEST, LARGEST = 2e9, 1.1e12  # FLOP of a launch
LONGEST = 0.03  # seconds of a launch, as the model has it
EXTENTS = (192, 8192)


def call(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True)


def shape(draw):
    def extent():
        raw = math.exp(draw.uniform(*map(math.log, EXTENTS)))
        grain = draw.choice([128, 64, 64, 64, 64, 64, 64, 8, 1, 1])
        return max(grain, round(raw / grain) * grain)
    while True:
        m, n, k = extent(), extent(), extent()
        if draw.random() < 0.1:
            m = draw.choice([1, 16, 64])
        if SMALLEST <= 2 * m * n * k <= LARGEST:
            return m, n, k


def position(kernel, tile, types, layout):
    return ["--kernel", kernel, "--tile", ",".join(f"{k}={v}" for k, v in tile.items()),
            "--types", ",".join(types), *(["--layout", layout] if layout else [])]


def choose(options):
    draw = random.Random(options.seed)
    jobs = []
    for kernel in json.loads(call(options.cli, "kernels", "--json").stdout):
        if options.kernels and kernel["id"] not in options.kernels.split(","):
            continue
        tiles = 0
        while tiles < options.tiles:
            tile = {s["name"]: draw.choice(s["values"]) for s in kernel["sliders"]}
            types = draw.choice(kernel["types"])
            layout = draw.choice(kernel["layouts"] + [None] * 5)  # None: the rung's own
            sizes = []
            for _ in range(20 * options.shapes):
                size = shape(draw)
                model = call(options.cli, "model", *position(kernel["id"], tile, types, layout), "--size",
                             "x".join(map(str, size)), "--device", "NVIDIA H200", "--json")
                if model.returncode == 2:
                    break  # an illegal tile
                if json.loads(model.stdout)["time"]["us"] < LONGEST * 1e6:
                    sizes.append(size)
                if len(sizes) == options.shapes:
                    break
            if len(sizes) == options.shapes:
                tiles += 1
                jobs.append({"kernel": kernel["id"], "tile": tile, "types": types, "layout": layout,
                             "sizes": sizes, "counted": options.counted})
    pathlib.Path(options.file).write_text("".join(json.dumps(job) + "\n" for job in jobs))
    print(f"{len(jobs)} tiles, {sum(len(job['sizes']) for job in jobs)} problems")
    return 0


def key(job, size, counted):
    return json.dumps([job["kernel"], job["tile"], job["types"], job["layout"], list(size), counted])


def measure(options):
    jobs = [json.loads(line) for line in pathlib.Path(options.file).read_text().splitlines()]
    out = pathlib.Path(options.out)
    known = {json.loads(line)["key"] for line in out.read_text().splitlines()} if out.exists() else set()
    end, lock, failed = time.monotonic() + options.seconds, threading.Lock(), 0

    def save(rows):
        with lock, open(out, "a") as file:
            for row in rows:
                file.write(json.dumps(row) + "\n")

    def run(job, sizes, counted):
        sizes = [size for size in sizes if key(job, size, counted) not in known]
        if not sizes or time.monotonic() > end:
            return 0
        asked = [options.cli, "bench", *position(job["kernel"], job["tile"], job["types"], job["layout"]),
                 "--device", options.device, "--no-counts", "--json"]
        asked += ["--counters", "--seconds", "0.01"] if counted else ["--seconds", "0.4"]
        for size in sizes:
            asked += ["--size", "x".join(map(str, size))]
        answer = call(*asked)
        try:
            rows = json.loads(answer.stdout)
            rows = rows if isinstance(rows, list) else []
        except ValueError:
            rows = []
        save({"key": key(job, size, counted), "counted": counted, **row} for size, row in zip(sizes, rows))
        if len(rows) != len(sizes):
            print("failed:", " ".join(map(str, asked[1:])), answer.stdout[-300:], answer.stderr[-300:])
        return len(rows) != len(sizes)

    # Each tile's time first, one after the other; then the counters, whose starts may overlap: ncu itself
    # lets one launch through at a time.
    for job in jobs:
        failed += run(job, job["sizes"], False)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        failed += sum(pool.map(lambda pair: run(pair[0], [pair[1]], True),
                               [(job, size) for job in jobs for size in job["sizes"][:job["counted"]]]))
    print(f"{failed} failed; {len(out.read_text().splitlines())} results")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["choose", "measure"])
    parser.add_argument("file")
    parser.add_argument("--cli", default=str(ROOT / "build/release/bin/tilescope-cli"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tiles", type=int, default=8)
    parser.add_argument("--shapes", type=int, default=4)
    parser.add_argument("--counted", type=int, default=2)
    parser.add_argument("--kernels", default="")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--out", default="model-results.jsonl")
    options = parser.parse_args()
    return choose(options) if options.what == "choose" else measure(options)


if __name__ == "__main__":
    sys.exit(main())
