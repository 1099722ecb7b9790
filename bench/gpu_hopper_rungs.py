"""Hopper's rungs on a card beside the vendor's library: each problem with each of the tiles below, once.

    bench/gpu_hopper_rungs.py CLI OUT.jsonl [RUNG … M×N×K …]  measures these (all), and goes on where it was stopped:
                                                              three seconds a tile on an H200, twelve minutes in all
    bench/gpu_hopper_rungs.py --again 4 CLI OUT.jsonl    the best of those four times more: five alternations with the library
    bench/gpu_hopper_rungs.py --table OUT.jsonl      the best tile of each rung and problem, as a table; of what was measured
                                                     again the medians

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
    {"block_m": 128, "block_n": 256, "warp_m": 64, "stages": 4, "cluster_m": 1, "splits": 0},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 224, "warp_m": 64, "stages": 4, "cluster_m": 1},
    {"block_m": 128, "block_n": 128, "warp_m": 64, "stages": 6, "cluster_m": 1},
    {"block_m": 128, "block_n": 128, "warp_m": 64, "stages": 5, "cluster_m": 1, "splits": 0},
    {"block_m": 64, "block_n": 128, "block_k": 128, "warp_m": 64, "stages": 4, "cluster_m": 1, "splits": 4},
    {"block_m": 64, "block_n": 64, "block_k": 128, "warp_m": 64, "stages": 6, "cluster_m": 1, "splits": 2},
    {"block_m": 128, "block_n": 128, "warp_m": 64, "promote": 1, "stages": 5, "cluster_m": 2},
    {"block_m": 128, "block_n": 160, "warp_m": 64, "promote": 1, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "promote": 1, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "warp_m": 64, "promote": 4, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 256, "warp_m": 64, "promote": 0, "stages": 4, "cluster_m": 2},
    # Floats in parts: stages take twice as much.
    {"block_m": 128, "block_n": 128, "block_k": 32, "warp_m": 64, "promote": 1, "stages": 3, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "block_k": 16, "warp_m": 64, "promote": 2, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 192, "block_k": 16, "warp_m": 64, "promote": 8, "stages": 4, "cluster_m": 2},
    {"block_m": 128, "block_n": 256, "block_k": 16, "warp_m": 64, "promote": 0, "stages": 4, "cluster_m": 2},
]


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.strip() else {}, done.stderr.strip()


def tiles_of(sliders):
    tiles = []
    for tile in TILES:
        if ("promote" in tile) != ("promote" in sliders) or ("splits" in tile and "splits" not in sliders):
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


def results_of(path):
    """Those of each problem, rung and tile, in their order."""
    results = {}
    with open(path, encoding="utf-8") as f:
        for row in map(json.loads, f):
            if isinstance(row["result"], list):  # else refused: no such tile
                results.setdefault((row["problem"], row["kernel"], row["asked"]), []).append(row["result"][0])
    return results


def median_of(results):
    return statistics.median(r["tflops"] for r in results)


def best_of(results):
    """The tile of each problem and rung; one that was measured again before those that were not."""
    best = {}
    for (problem, kernel, tile), found in results.items():
        key = len(found), median_of(found)
        if (problem, kernel) not in best or key > best[problem, kernel][0]:
            best[problem, kernel] = key, tile
    return {at: tile for at, (_, tile) in best.items()}


def again(cli, times, path):
    for (problem, kernel), tile in best_of(results_of(path)).items():
        for _ in range(int(times)):
            found, error = said(cli, "bench", "--device", "cuda", "--kernel", kernel, "--size", problem, "--tile", tile,
                                "--json")
            with open(path, "a", encoding="utf-8") as f:
                f.write(json.dumps({"kernel": kernel, "problem": problem, "asked": tile, "error": error,
                                    "result": found}) + "\n")


def types_of(result):
    return json.dumps(result["types"])


def table(path):
    results, library = results_of(path), {}
    for (problem, _, _), found in results.items():
        for r in found:
            if r.get("of_library"):
                library.setdefault((problem, types_of(r)), []).append(r["tflops"] / r["of_library"])
    best = best_of(results)
    print("| M×N×K | rung | tile | TFLOPS | of the library | error |\n|---|---|---|---|---|---|")
    for problem in dict.fromkeys(at for at, _ in best):
        for (at, kernel), tile in best.items():
            if at != problem:
                continue
            found = results[at, kernel, tile]
            ratios = [r["of_library"] for r in found if r.get("of_library")]
            others = library.get((problem, types_of(found[0])))
            beside = statistics.median(others) if others else None
            tflops = median_of(found)
            # In turns: each beside its own; a single one beside the median of all that were measured.
            ratio = statistics.median(ratios) if len(ratios) > 2 else tflops / beside if beside else None
            share = f"{ratio:.2f} of {beside:.0f}" if ratio else "–"
            error = (found[0].get("verified") or {}).get("norm")
            print(f"| {problem.replace('x', '×')} | {kernel} | {tile} | {tflops:.1f} ({len(found)}) | {share} | "
                  f"{error:.2g} |" if error else f"| {problem} | {kernel} | {tile} | {tflops:.1f} | {share} | – |")


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        table(sys.argv[2])
    elif sys.argv[1] == "--again":  # CLI is before OUT.jsonl, as above
        again(sys.argv[3], sys.argv[2], sys.argv[4])
    else:
        measure(*sys.argv[1:])
