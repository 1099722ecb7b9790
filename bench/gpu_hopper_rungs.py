"""Hopper's rungs on a card beside the vendor's library: each problem with each of the tiles below, once.

    bench/gpu_hopper_rungs.py CLI OUT.jsonl [RUNG …] measures these (all), and goes on where it was stopped: three
                                                     seconds a tile on an H200, ten minutes in all
    bench/gpu_hopper_rungs.py --table OUT.jsonl      the best tile of each rung and problem, as a table

TN, f16 to f32; the ratio is to the better of cuBLASLt and cuBLAS, which varies by ten percent from call to call: the
median of those that were measured beside all tiles of the problem. Which rungs: those that `kernels --json` lists for one architecture alone.
"""
import json
import statistics
import subprocess
import sys

PROBLEMS = ["4096x4096x4096", "8192x8192x8192", "4096x6144x4096", "512x28672x4096", "2048x4096x14336",
            "128x13824x5120", "1000x4096x4096", "16x4096x14336", "3072x3072x768", "4095x4095x4095"]
# Values of sliders that a rung does not have are left out.
TILES = [
    {"block_m": 128, "block_n": 256, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 256, "warp_m": 64, "stages": 4, "cluster_m": 2},
    {"block_m": 256, "block_n": 192, "warp_m": 128, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 224, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 128, "warp_m": 64, "stages": 6, "cluster_m": 1},
    {"block_m": 64, "block_n": 192, "warp_m": 64, "stages": 6, "cluster_m": 1},
    {"block_m": 64, "block_n": 32, "block_k": 128, "warp_m": 64, "stages": 8, "cluster_m": 1},
]


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.strip() else {}, done.stderr.strip()


def tiles_of(sliders):
    tiles = []
    for tile in TILES:
        text = ",".join(f"{name}={value}" for name, value in tile.items() if name in sliders)
        if text not in tiles:
            tiles.append(text)
    return tiles


def measure(cli, out, *rungs):
    listed, _ = said(cli, "kernels", "--json")
    kernels = listed
    try:
        with open(out, encoding="utf-8") as f:
            known = {(r["kernel"], r["problem"], r["asked"]) for r in map(json.loads, f)}
    except FileNotFoundError:
        known = set()
    with open(out, "a", encoding="utf-8") as f:
        for problem in PROBLEMS:
            for kernel in kernels:
                if not kernel.get("only_sm") or (rungs and kernel["id"] not in rungs):
                    continue
                for tile in tiles_of([s["name"] for s in kernel["sliders"]]):
                    if (kernel["id"], problem, tile) in known:
                        continue
                    found, error = said(cli, "bench", "--device", "cuda", "--kernel", kernel["id"], "--size", problem,
                                        "--tile", tile, "--json")
                    row = {"kernel": kernel["id"], "problem": problem, "asked": tile, "error": error, "result": found}
                    f.write(json.dumps(row) + "\n")
                    f.flush()


def table(path):
    best, library = {}, {}
    with open(path, encoding="utf-8") as f:
        for row in map(json.loads, f):
            if not isinstance(row["result"], list):  # refused: no such tile
                continue
            result = row["result"][0]
            if result.get("of_library"):
                library.setdefault(row["problem"], []).append(result["tflops"] / result["of_library"])
            key = row["problem"], row["kernel"]
            if key not in best or result["tflops"] > best[key][1]["tflops"]:
                best[key] = row["asked"], result
    print("| M×N×K | rung | tile | TFLOPS | of the library |\n|---|---|---|---|---|")
    for problem in PROBLEMS:
        for (at, kernel), (tile, result) in best.items():
            if at == problem:
                beside = statistics.median(library[problem]) if problem in library else None
                share = f"{result['tflops'] / beside:.2f} of {beside:.0f}" if beside else "–"
                print(f"| {problem.replace('x', '×')} | {kernel} | {tile} | {result['tflops']:.1f} | {share} |")


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        table(sys.argv[2])
    else:
        measure(*sys.argv[1:])
