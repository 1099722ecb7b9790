#!/usr/bin/env python3
"""bench/gpu_random_tiles.py CLI [TILES 50] [SECONDS 400]: random legal tiles of every rung, with random layouts,
types, orders of C and beta, on ragged and aligned problems, verified on cuda:0. Ends with 1 if one was wrong."""
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import time

CLI = sys.argv[1]
TILES = int(sys.argv[2]) if len(sys.argv) > 2 else 50
END = time.time() + (float(sys.argv[3]) if len(sys.argv) > 3 else 400)
SIZES = ["1", "17x33x5", "127x129x65", "256x192x320", "300x70x257", "511x257x96"]


def call(*arguments):
    return subprocess.run([CLI, *arguments], capture_output=True, text=True)


def arguments_of(kernel, choose):
    tile = ",".join(f"{s['name']}={choose(s['values'])}" for s in kernel["sliders"])
    arguments = ["bench", "--kernel", kernel["id"], "--device", "cuda:0", "--json", "--tile", tile,
                 "--types", ",".join(choose(kernel["types"])), "--layout", choose(kernel["layouts"]),
                 "--c", choose(["row", "col"]), "--beta", choose(["0", "0.5"])]
    for size in SIZES:
        arguments += ["--size", size]
    return arguments


def one(job):
    """The kernel, how many results were right, how many not, and what was asked."""
    kernel, number = job
    choose = random.Random(f"{kernel['id']} {number}").choice
    while time.time() < END:
        arguments = arguments_of(kernel, choose)
        answer = call(*arguments)
        if answer.returncode == 2:  # an illegal tile
            continue
        if answer.returncode != 0:
            return kernel["id"], 0, 1, arguments + [answer.stderr[-300:]]
        results = json.loads(answer.stdout)
        wrong = sum(not r["verified"]["ok"] for r in results)
        return kernel["id"], len(results) - wrong, wrong, arguments
    return kernel["id"], 0, 0, []


def main():
    jobs = [(k, i) for i in range(TILES) for k in json.loads(call("kernels", "--json").stdout)]
    right, wrong = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(max(2, (os.cpu_count() or 4) - 2)) as pool:
        for kernel, good, bad, asked in pool.map(one, jobs):
            right[kernel] += good
            wrong[kernel] += bad
            if bad:
                print("wrong:", " ".join(asked))
    print("right:", dict(right))
    print("wrong:", dict(wrong))
    return 1 if sum(wrong.values()) else 0


sys.exit(main())
