"""Hopper's rungs on a card beside the vendor's library: each problem with each of the tiles below, once.

    bench/gpu_hopper_rungs.py CLI OUT.jsonl [RUNG … M×N×K …]  measures these (all), and goes on where it was stopped:
                                                              three seconds a tile on an H200, twelve minutes in all
    bench/gpu_hopper_rungs.py --table OUT.jsonl      the best tile of each rung and problem, as a table

TN, f16 to f32 (a rung that does not take it: its own types); the ratio is to the better of cuBLASLt and cuBLAS, which varies by ten percent from call to call: the
median of those that were measured beside all tiles of the problem. Which rungs: those that `kernels --json` lists for one architecture alone.
"""
import json
import statistics
import subprocess
import sys

PROBLEMS = ["4096x4096x4096", "8192x8192x8192", "4096x6144x4096", "512x28672x4096", "2048x4096x14336",
            "128x13824x5120", "1000x4096x4096", "16x4096x14336", "3072x3072x768", "4095x4095x4095"]
# Values of sliders that a rung does not have are left out. Of rungs that promote sums, those that say how often.
TILES = [
    {"block_m": 128, "block_n": 256, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 256, "warp_m": 64, "stages": 4, "cluster_m": 2},
    {"block_m": 256, "block_n": 192, "warp_m": 128, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 224, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 128, "warp_m": 64, "stages": 6, "cluster_m": 1},
    {"block_m": 64, "block_n": 192, "warp_m": 64, "stages": 6, "cluster_m": 1},
    {"block_m": 64, "block_n": 32, "block_k": 128, "warp_m": 64, "stages": 8, "cluster_m": 1},
    {"block_m": 128, "block_n": 128, "warp_m": 64, "promote": 1, "stages": 6, "cluster_m": 2},
    {"block_m": 128, "block_n": 160, "warp_m": 64, "promote": 1, "stages": 5, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "promote": 1, "stages": 5, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "promote": 4, "stages": 5, "cluster_m": 2},
    {"block_m": 128, "block_n": 256, "warp_m": 64, "promote": 0, "stages": 4, "cluster_m": 2},
    {"block_m": 256, "block_n": 128, "warp_m": 128, "promote": 0, "stages": 4, "cluster_m": 2},
]


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.strip() else {}, done.stderr.strip()


def tiles_of(sliders):
    tiles = []
    for tile in TILES:
        if ("promote" in tile) != ("promote" in sliders):
            continue
        text = ",".join(f"{name}={value}" for name, value in tile.items() if name in sliders)
        if text not in tiles:
            tiles.append(text)
    return tiles


def measure(cli, out, *chosen):
    sizes = [name.replace("×", "x") for name in chosen if name[0].isdigit()]
    rungs = [name for name in chosen if not name[0].isdigit()]
    listed, _ = said(cli, "kernels", "--json")
    kernels = listed
    try:
        with open(out, encoding="utf-8") as f:
            known = {(r["kernel"], r["problem"], r["asked"]) for r in map(json.loads, f)}
    except FileNotFoundError:
        known = set()
    with open(out, "a", encoding="utf-8") as f:
        for problem in sizes or PROBLEMS:
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


def types_of(result):
    return json.dumps(result["types"])


def table(path):
    best, library = {}, {}
    with open(path, encoding="utf-8") as f:
        for row in map(json.loads, f):
            if not isinstance(row["result"], list):  # refused: no such tile
                continue
            result = row["result"][0]
            if result.get("of_library"):
                library.setdefault((row["problem"], types_of(result)), []).append(result["tflops"] / result["of_library"])
            key = row["problem"], row["kernel"]  # all tiles of a rung have the same types
            if key not in best or result["tflops"] > best[key][1]["tflops"]:
                best[key] = row["asked"], result
    print("| M×N×K | rung | tile | TFLOPS | of the library |\n|---|---|---|---|---|")
    for problem in dict.fromkeys(at for at, _ in best):
        for (at, kernel), (tile, result) in best.items():
            if at == problem:
                others = library.get((problem, types_of(result)))
                beside = statistics.median(others) if others else None
                share = f"{result['tflops'] / beside:.2f} of {beside:.0f}" if beside else "–"
                print(f"| {problem.replace('x', '×')} | {kernel} | {tile} | {result['tflops']:.1f} | {share} |")


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        table(sys.argv[2])
    else:
        measure(*sys.argv[1:])
