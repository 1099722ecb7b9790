#!/usr/bin/env python3
"""The C++ that `fragments --format cpp` writes for every instruction, compiled and compared.

  exported_cpp_test.py CLI COMPILER

The whole export is compiled as C++17 with warnings as errors, nothing added. Then a program calls
the functions, both ways round, for every thread and value and writes what they say; that must be the
map of `--all --json`. Texts that differ in names and comments alone are compiled once.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]

PRELUDE = """
#include <cstdio>
#include <cstdlib>
static void wrong(const char* what, int lane, int v) {
  std::printf("%s: lane %d, value %d is not found again\\n", what, lane, v);
  std::exit(1);
}
// The map as JSON, one line per call, and the way back for each value; `groups`: lanes `step` further
// compute for themselves and hold the same.
template <class Coord, class Holder>
void mma(const char* what, Coord coord, Holder holder, const int* lanes, int threads, int values,
         int groups, int step, bool copies) {
  std::printf("[");
  for (int t = 0; t < threads; ++t) {
    const int lane = lanes ? lanes[t] : t;
    std::printf(t ? ",[" : "[");
    for (int v = 0; v < values; ++v) {
      const auto [row, col] = coord(lane, v);
      std::printf(v ? ",[%d,%d]" : "[%d,%d]", row, col);
      const auto [its_lane, its_v] = holder(row, col);
      const auto again = coord(its_lane, its_v);
      const bool first = its_lane < lane || (its_lane == lane && its_v <= v);
      if (again.row != row || again.col != col) wrong(what, lane, v);
      if (copies ? !first : its_lane != lane || its_v != v) wrong(what, lane, v);
      for (int g = 1; g < groups; ++g) {
        const auto other = coord(lane + g * step, v);
        if (other.row != row || other.col != col) wrong(what, lane + g * step, v);
      }
    }
    std::printf("]");
  }
  std::printf("]\\n");
}
template <class Place, class Holder>
void move(const char* what, Place place, Holder holder, int values) {
  std::printf("[");
  for (int lane = 0; lane < 32; ++lane) {
    std::printf(lane ? ",[" : "[");
    for (int v = 0; v < values; ++v) {
      const auto [matrix, row, col] = place(lane, v);
      std::printf(v ? ",[%d,%d,%d]" : "[%d,%d,%d]", matrix, row, col);
      const auto [its_lane, its_v] = holder(matrix, row, col);
      if (its_lane != lane || its_v != v) wrong(what, lane, v);
    }
    std::printf("]");
  }
  std::printf("]\\n");
}
template <class Row, class Lane>
void address(const char* what, Row row_of, Lane lane_of, int lanes) {
  std::printf("[");
  for (int lane = 0; lane < lanes; ++lane) {
    const auto [matrix, row] = row_of(lane);
    std::printf(lane ? ",[%d,%d]" : "[%d,%d]", matrix, row);
    if (lane_of(matrix, row) != lane) wrong(what, lane, 0);
  }
  std::printf("]\\n");
}
"""


class Program:
    """Calls to write, each once, and the maps that their lines must equal."""

    def __init__(self):
        self.calls, self.expected, self.constants, self.lane_lists = {}, [], {}, {}

    def add(self, call, name, wanted):
        line = self.calls.setdefault(call, len(self.calls))
        self.expected.append((line, name, wanted))

    def source(self):
        lists = [f"static const int {name}[] = {{{', '.join(map(str, lanes))}}};"
                 for lanes, name in self.lane_lists.items()]
        # That the functions are constants where a constant is wanted.
        constants = [f"static_assert({text});" for text in self.constants.values()]
        return "\n".join([PRELUDE, *lists, *constants, "int main() {",
                          *(f"  {call}" for call in self.calls), "}"])

    def add_mma(self, space, entry):
        lanes = tuple(entry.get("lanes", ()))
        pointer = "nullptr"
        if lanes:
            pointer = self.lane_lists.setdefault(lanes, f"lanes{len(self.lane_lists)}")
        for name, operand in entry["operands"].items():
            if operand is None:
                continue
            prefix = f"{space}::{name.lower()}"
            threads = len(operand["map"])
            groups = entry["threads"] // threads
            copies = "true" if operand.get("copies", 1) > 1 else "false"
            self.add(f'mma("{prefix}", {prefix}_coord, {prefix}_holder, {pointer}, {threads}, '
                     f'{operand["values"]}, {groups}, 4, {copies});',
                     f'{entry["atom"]} {name}', operand["map"])
            lane = lanes[-1] if lanes else threads - 1
            row, col = operand["map"][-1][-1]
            call = f"{prefix}_coord({lane}, {operand['values'] - 1})"
            self.constants[call] = f"{call}.row == {row} && {call}.col == {col}"

    def add_move(self, space, entry):
        moved = "source" in entry
        parts = [("result", "map"), ("source", "source")] if moved else [("register", "map")]
        for prefix, key in parts:
            self.add(f'move("{space}", {space}::{prefix}_place, {space}::{prefix}_holder, '
                     f'{len(entry[key][0])});', f'{entry["atom"]} {key}', entry[key])
        if not moved:
            self.add(f'address("{space}", {space}::address_row, {space}::address_lane, '
                     f'{len(entry["address"])});', f'{entry["atom"]} address', entry["address"])


def texts_of(export):
    """PTX name → (namespace, whole text), in order."""
    found = {}
    for match in re.finditer(r"^// (\S+?)[,:] .*?^namespace (\w+) \{.*?^\}  // namespace \2\n",
                             export, re.S | re.M):
        found[match.group(1)] = (match.group(2), match.group(0))
    return found


def body_of(space, text):
    """What is compiled, without names and comments."""
    return re.sub(r"//.*", "", text).replace(space, "")


def compiled(compiler, folder, name, source, flags):
    path = os.path.join(folder, name + ".cpp")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    done = subprocess.run([compiler, *FLAGS, *flags, path], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr[:4000])
        sys.exit(f"{name}: does not compile")


def main():
    cli, compiler = sys.argv[1:]

    def run(*arguments):
        return subprocess.run([cli, "fragments", *arguments], capture_output=True,
                              check=True).stdout.decode()

    entries = json.loads(run("--all", "--json"))
    export = run("--all", "--format", "cpp")
    texts = texts_of(export)
    if list(texts) != [entry["atom"] for entry in entries]:
        sys.exit("the export does not name the instructions of the list, in its order")
    for entry in entries:  # how it was checked, one line
        text = texts[entry["atom"]][1]
        if len(re.findall(r"^// The map was (checked|read) .+\.$", text, re.M)) != 1:
            sys.exit(f'{entry["atom"]}: no line on how it was checked')

    program, bodies = Program(), {}
    for entry in entries:
        space, text = texts[entry["atom"]]
        representative = bodies.setdefault(body_of(space, text), (space, text))
        (program.add_mma if "operands" in entry else program.add_move)(representative[0], entry)

    with tempfile.TemporaryDirectory() as folder:
        compiled(compiler, folder, "whole", export, ["-fsyntax-only"])
        first = texts[entries[0]["atom"]][1]
        compiled(compiler, folder, "one", first, ["-fsyntax-only"])
        binary = os.path.join(folder, "program")
        source = "\n".join(text for _, text in bodies.values()) + program.source()
        compiled(compiler, folder, "program_source", source, ["-o", binary])
        done = subprocess.run([binary], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout[-300:])
        lines = done.stdout.splitlines()

    maps = [json.loads(line) for line in lines]
    different = [name for line, name, wanted in program.expected if maps[line] != wanted]
    for name in different[:20]:
        print(f"{name}: the compiled functions say otherwise than the JSON")
    print(f"{len(entries)} instructions, {len(bodies)} distinct texts, {len(maps)} maps computed, "
          f"{len(program.expected)} compared, {len(program.constants)} constants")
    return 1 if different or len(entries) < 701 else 0


if __name__ == "__main__":
    sys.exit(main())
