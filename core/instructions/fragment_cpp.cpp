// The map as C++ that others paste into their kernels. Every expression is fragment_text's.
#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "core/instructions/fragment_export.h"
#include "core/instructions/fragment_text.h"

namespace tilescope::model {
namespace {

/// Whether an expression names a variable: "v" is not in "value".
bool names(std::string_view expression, std::string_view name) {
  const auto letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = expression.find(name); at != std::string_view::npos;
       at = expression.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !letter(expression[at - 1])) &&
        (end == expression.size() || !letter(expression[end]))) {
      return true;
    }
  }
  return false;
}

/// "int lane" or, where no formula uses it, "int /*lane*/": -Wextra takes unused names for
/// mistakes.
std::string parameter(const std::string& name, const std::string& first,
                      const std::string& second) {
  return names(first, name) || names(second, name) ? "int " + name : "int /*" + name + "*/";
}

/// PREFIX_coord(lane, v) and PREFIX_holder(row, col).
std::string both_ways(const std::string& prefix, const FragmentLayout& f, const LaneNames& lanes) {
  constexpr auto kCpp = FormulaStyle::cpp;
  const std::string row = row_formula(f, lanes, kCpp), col = col_formula(f, lanes, kCpp);
  const std::string lane = lane_formula(f, lanes, kCpp), value = value_formula(f, kCpp);
  return fmt::format(
      "constexpr Coord {0}_coord({1}, {2}) {{\n  return {{{3}, {4}}};\n}}\n"
      "constexpr Holder {0}_holder({5}, {6}) {{\n  return {{{7}, {8}}};\n}}\n",
      prefix, parameter(lanes.lane, row, col), parameter("v", row, col), row, col,
      parameter("row", lane, value), parameter("col", lane, value), lane, value);
}

std::string values_text(const FragmentLayout& f) {
  std::string text = fmt::format("{} x {} of {} bits; {} value{} each", f.rows, f.cols, f.bits,
                                 f.values(), f.values() == 1 ? "" : "s");
  if (f.values_per_register > 1) {
    text += fmt::format(", v / {} is the register, low bits first", f.values_per_register);
  }
  if (f.copies() > 1) {
    text += fmt::format(".\n// Each element is held {} times; _holder names the first", f.copies());
  }
  return text;
}

std::string mma_text(const MmaAtom& atom, char only) {
  const LaneNames lanes = lane_names(atom);
  std::string out = fmt::format("struct Holder {{ int {}, v; }};\n", lanes.lane);
  if (atom.group.size() > 1) {
    out += fmt::format(
        "// Each of {} groups of lanes computes for itself. _holder names lanes of the first; "
        "group "
        "g's are {} * g further on.\n",
        atom.group.size(), atom.group.mode[0].stride);
  }
  for (const NamedFragment& named : named_fragments(atom, only)) {
    if (!named.fragment) {
      out += "\n// B lies in shared memory, named by a descriptor: no thread holds it.\n";
      continue;
    }
    const char* axes = named.name == 'A'   ? "row m, col k"
                       : named.name == 'B' ? "row k, col n"
                                           : "row m, col n";
    out += fmt::format("\n// {}, {}: {}.\n", named.name, axes, values_text(*named.fragment));
    out += both_ways(std::string(1, static_cast<char>(std::tolower(named.name))), *named.fragment,
                     lanes);
  }
  return out;
}

/// Registers that hold matrices: functions over the stacked matrices, then over each by itself.
std::string matrices_text(const std::string& prefix, const FragmentLayout& f) {
  return both_ways(prefix + "_stacked", f, {}) +
         fmt::format(
             "constexpr Place {0}_place(int lane, int v) {{\n"
             "  const Coord at = {0}_stacked_coord(lane, v);\n"
             "  return {{at.row / {1}, at.row % {1}, at.col}};\n}}\n"
             "constexpr Holder {0}_holder(int matrix, int row, int col) {{\n"
             "  return {0}_stacked_holder({1} * matrix + row, col);\n}}\n",
             prefix, kMatrixRows);
}

std::string move_text(const MatrixMove& move) {
  std::string out =
      "struct Holder { int lane, v; };\nstruct Place { int matrix, row, col; };\n"
      "struct Row { int matrix, row; };\n"
      "\n// Matrices of 8 x 8 elements of 16 bits; stacked: row 8 * matrix + row. Two values a "
      "register, v / 2 is the\n// register, low bits first.\n";
  if (move.kind == MatrixMoveKind::movmatrix) {
    return out + "// What a lane gives:\n" + matrices_text("source", move.registers) +
           "// What it receives, as places of the source:\n" + matrices_text("result", move.result);
  }
  out += matrices_text("register", move.registers);
  // The addresses as a fragment of one column: a lane holds one row.
  FragmentLayout rows;
  rows.rows = kMatrixRows * move.matrices, rows.cols = 1;
  rows.thread = move.address;
  LaneNames lanes;
  lanes.lanes = make_layout({move.address.size(), 1});
  const std::string row = row_formula(rows, lanes, FormulaStyle::cpp);
  const std::string lane = lane_formula(rows, lanes, FormulaStyle::cpp);
  return out +
         fmt::format(
             "\n// The row whose address lane 0..{3} gives, and the lane that gives a row's.\n"
             "constexpr int address_stacked_row(int lane) {{ return {0}; }}\n"
             "constexpr int address_stacked_lane(int row) {{ return {1}; }}\n"
             "constexpr Row address_row(int lane) {{\n"
             "  return {{address_stacked_row(lane) / {2}, address_stacked_row(lane) % {2}}};\n}}\n"
             "constexpr int address_lane(int matrix, int row) {{\n"
             "  return address_stacked_lane({2} * matrix + row);\n}}\n",
             row, lane, kMatrixRows, move.address.size() - 1);
}

std::string namespace_of(const std::string& name) {
  std::string out = name;
  for (char& c : out) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return out;
}

}  // namespace

std::string fragment_cpp(const Instruction& i, const std::string& checked, char only) {
  const std::string space = namespace_of(i.name);
  std::string out =
      fmt::format("// {}{}{}: which lane holds which element.\n// The map was {}.\n", i.name,
                  i.cute_name.empty() ? "" : ", in CuTe ", i.cute_name, checked);
  out += fmt::format("namespace {} {{\n\nstruct Coord {{ int row, col; }};\n", space);
  out += i.kind == Instruction::Kind::mma ? mma_text(i.mma, only) : move_text(i.move);
  return out + fmt::format("\n}}  // namespace {}\n", space);
}

std::string how_checked(const Instruction& i) {
  const bool mma = i.kind == Instruction::Kind::mma;
  if (mma && i.mma.kind == MmaKind::wmma) {
    return "read from an NVIDIA H200, driver 580.159.04, 2026-11-20";
  }
  // Of wgmma and of what moves matrices the ISA shows figures.
  return fmt::format("checked against the PTX ISA's {} by Tilescope's tests",
                     mma && i.mma.kind == MmaKind::mma_sync ? "formulas" : "figures");
}

std::string how_proven(const std::string& device, const std::string& driver,
                       const std::string& date) {
  const bool emulated = device == driver;  // the emulator is its own
  return emulated ? fmt::format("checked element by element in Tilescope's emulator, {}", date)
                  : fmt::format("checked element by element on {}, driver for CUDA {}, {}", device,
                                driver, date);
}

}  // namespace tilescope::model
