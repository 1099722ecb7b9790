// JSON by hand: all maps together are tens of megabytes, and a document tree takes half a minute.
#include <fmt/format.h>

#include <algorithm>

#include "core/instructions/fragment_export.h"
#include "core/instructions/wgmma_words.h"
#include "core/model/names.h"

namespace tilescope::model {
namespace {

/// Texts of the numbers that maps are made of: rows and columns of fragments, lanes.
const std::string& small_text(int number) {
  constexpr size_t kMost = 1024;
  static const auto texts = [] {
    std::vector<std::string> made;
    for (size_t i = 0; i < kMost; ++i) made.push_back(std::to_string(i));
    return made;
  }();
  return texts.at(static_cast<size_t>(number));
}

/// "[[[0,0],[0,1]],…]": one line per thread, `place` appends one value's numbers.
template <class Place>
void append_map(std::string& out, const FragmentLayout& f, Place&& place) {
  std::vector<Coord> of_values;
  for (int v = 0; v < f.values(); ++v) of_values.push_back(value_coord(f, v));
  out += '[';
  for (int thread = 0; thread < f.threads(); ++thread) {
    const Coord of_thread = thread_coord(f, thread);
    out += thread > 0 ? ",\n[" : "\n[";
    const char* between = "[";
    for (const Coord& of_value : of_values) {
      out += between;
      place(of_thread + of_value);
      out += ']';
      between = ",[";
    }
    out += ']';
  }
  out += ']';
}

void append_coord_map(std::string& out, const FragmentLayout& f) {
  append_map(out, f, [&](Coord at) {
    out += small_text(at.row);
    out += ',';
    out += small_text(at.col);
  });
}

/// Rows of stacked matrices as [matrix, row, col].
void append_matrix_map(std::string& out, const FragmentLayout& f) {
  append_map(out, f, [&](Coord at) {
    out += small_text(at.row / kMatrixRows);
    out += ',';
    out += small_text(at.row % kMatrixRows);
    out += ',';
    out += small_text(at.col);
  });
}

void append_operand(std::string& out, const MmaAtom& atom, const NamedFragment& named) {
  out += fmt::format("\"{}\":", named.name);
  if (!named.fragment) {
    out += "null";
    return;
  }
  const FragmentLayout& f = *named.fragment;
  out += fmt::format(R"({{"rows":{},"cols":{},"bits":{},"values":{},"values_per_register":{},)",
                     f.rows, f.cols, f.bits, f.values(), f.values_per_register);
  if (atom.kind == MmaKind::wmma) out += fmt::format("\"copies\":{},", f.copies());
  out += "\"map\":";
  append_coord_map(out, f);
  out += '}';
}

std::string mma_json(const Instruction& instruction, char only) {
  const MmaAtom& m = instruction.mma;
  std::string out = fmt::format(
      R"({{"atom":"{}","shape":[{},{},{}],"types":{{"D":"{}","A":"{}","B":"{}","C":"{}"}},)"
      R"("threads":{},)",
      instruction.name, m.m, m.n, m.k, name_of(m.type_d), name_of(m.type_a), name_of(m.type_b),
      name_of(m.type_c), m.threads());
  if (m.group.size() > 1) {
    out += "\"lanes\":[";
    for (int t = 0; t < m.lanes.size(); ++t) {
      if (t > 0) out += ',';
      out += small_text(m.lanes(t));
    }
    out += "],";
  }
  out += "\"operands\":{";
  bool first = true;
  for (const NamedFragment& named : named_fragments(m, only)) {
    if (!first) out += ",\n";
    first = false;
    append_operand(out, m, named);
  }
  out += '}';
  if (m.b_in_shared && (only == 0 || only == 'B')) {
    out += ",\n\"shared\":[";
    const char* between = "";
    for (const WgmmaOperandRow& row : wgmma_operand_rows(m)) {
      out += fmt::format(
          R"({}{{"major":"{}","swizzle":"{}","steps":{},"bytes":{},"leading_bytes":{},)"
          R"("stride_bytes":{},"descriptor":"{:#x}"}})",
          between, row.layout.k_major ? "K" : "MN", name_of(row.layout.swizzle), row.layout.steps(),
          row.bytes, row.leading_bytes, row.stride_bytes, row.descriptor);
      between = ",\n";
    }
    out += ']';
  }
  return out + '}';
}

std::string move_json(const Instruction& instruction) {
  const MatrixMove& move = instruction.move;
  const bool in_registers = move.kind == MatrixMoveKind::movmatrix;
  std::string out =
      fmt::format(R"({{"atom":"{}","matrices":{},"address":[)", instruction.name, move.matrices);
  for (int lane = 0; !in_registers && lane < move.address.size(); ++lane) {
    const int row = move.address(lane);
    out += fmt::format("{}[{},{}]", lane > 0 ? "," : "", row / kMatrixRows, row % kMatrixRows);
  }
  out += "],\"map\":";
  append_matrix_map(out, in_registers ? move.result : move.registers);
  if (in_registers) {
    out += ",\n\"source\":";
    append_matrix_map(out, move.registers);
  }
  return out + '}';
}

bool same_modes(const Layout& x, const Layout& y) {
  return std::equal(x.mode, x.mode + x.rank, y.mode, y.mode + y.rank,
                    [](Mode a, Mode b) { return a.shape == b.shape && a.stride == b.stride; });
}

bool held_alike(const FragmentLayout& x, const FragmentLayout& y) {
  return x.bits == y.bits && x.rows == y.rows && x.cols == y.cols &&
         same_modes(x.thread, y.thread) && same_modes(x.value, y.value);
}

}  // namespace

std::vector<NamedFragment> named_fragments(const MmaAtom& atom, char only) {
  std::vector<NamedFragment> named;
  const auto add = [&](char name, const FragmentLayout* fragment, bool unasked) {
    if (only == name || (only == 0 && unasked)) named.push_back({name, fragment});
  };
  add('A', &atom.a, true);
  add('B', atom.b_in_shared ? nullptr : &atom.b, true);
  add('C', &atom.c, true);
  add('D', &atom.d, !held_alike(atom.c, atom.d));
  return named;
}

std::string fragment_json(const Instruction& instruction, char only) {
  return instruction.kind == Instruction::Kind::mma ? mma_json(instruction, only)
                                                    : move_json(instruction);
}

}  // namespace tilescope::model
