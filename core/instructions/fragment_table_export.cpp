// Long tables, one line per value: CSV, Markdown and LaTeX differ in how they write one line.
#include <fmt/format.h>

#include <functional>

#include "core/instructions/fragment_export.h"
#include "core/instructions/fragment_text.h"

namespace tilescope::model {
namespace {

using Cells = std::vector<std::string>;
using PutLine = std::function<void(const Cells&)>;

/// A table of its own: one operand's values, or the addresses that lanes give.
struct Part {
  std::string name, what;  // "A", "A [m, k], 16 x 16 of 16 bits"
  std::function<void(const PutLine&)> lines;
};

Cells head_of(const Instruction& i) {
  if (i.kind == Instruction::Kind::move) {
    return {"operand", "lane", "register", "slot", "value", "matrix", "row", "col"};
  }
  Cells head = {"operand", lane_names(i.mma).lane, "register", "slot", "value", "row", "col"};
  // Groups of lanes that compute for themselves: which of them this lane works for.
  if (i.mma.group.size() > 1) head.insert(head.begin() + 1, "group");
  return head;
}

/// operand, place of the lane, then register, slot and value, then `place`.
template <class Lane, class Place>
void put_values(const std::string& name, const FragmentLayout& f, const PutLine& put, Lane&& lane,
                Place&& place) {
  for (int t = 0; t < f.threads(); ++t) {
    for (int v = 0; v < f.values(); ++v) {
      Cells cells = {name};
      lane(cells, t);
      cells.push_back(std::to_string(v / f.values_per_register));
      cells.push_back(std::to_string(v % f.values_per_register));
      cells.push_back(std::to_string(v));
      place(cells, fragment_coord(f, t, v));
      put(cells);
    }
  }
}

std::vector<Part> mma_parts(const MmaAtom& atom, char only) {
  std::vector<Part> parts;
  for (const NamedFragment& named : named_fragments(atom, only)) {
    if (!named.fragment) continue;
    const FragmentLayout& f = *named.fragment;
    const std::string name(1, named.name);
    const char* axes = named.name == 'A' ? "[m, k]" : named.name == 'B' ? "[k, n]" : "[m, n]";
    const auto place = [](Cells& cells, Coord at) {
      cells.push_back(std::to_string(at.row));
      cells.push_back(std::to_string(at.col));
    };
    parts.push_back({name,
                     fmt::format("{} {}, {} x {} of {} bits", name, axes, f.rows, f.cols, f.bits),
                     [=, &atom, &f](const PutLine& put) {
                       for (int g = 0; g < atom.group.size(); ++g) {
                         const auto lane = [&](Cells& cells, int t) {
                           if (atom.group.size() > 1) cells.push_back(std::to_string(g));
                           cells.push_back(std::to_string(atom.lanes(t) + atom.group(g)));
                         };
                         put_values(name, f, put, lane, place);
                       }
                     }});
  }
  return parts;
}

std::vector<Part> move_parts(const MatrixMove& move) {
  const auto values = [](const std::string& name, const FragmentLayout& f) {
    return [name, &f](const PutLine& put) {
      const auto lane = [](Cells& cells, int t) { cells.push_back(std::to_string(t)); };
      const auto place = [](Cells& cells, Coord at) {
        cells.push_back(std::to_string(at.row / kMatrixRows));
        cells.push_back(std::to_string(at.row % kMatrixRows));
        cells.push_back(std::to_string(at.col));
      };
      put_values(name, f, put, lane, place);
    };
  };
  const std::string matrices =
      fmt::format("{} of 8 x 8, 16 bits", move.matrices > 1 ? "matrices" : "matrix");
  if (move.kind == MatrixMoveKind::movmatrix) {
    return {
        {"source", "source, " + matrices, values("source", move.registers)},
        {"result", "result, in places of the source " + matrices, values("result", move.result)}};
  }
  const auto addresses = [&move](const PutLine& put) {
    for (int lane = 0; lane < move.address.size(); ++lane) {
      const int row = move.address(lane);
      put({"address", std::to_string(lane), "", "", "", std::to_string(row / kMatrixRows),
           std::to_string(row % kMatrixRows), "0"});
    }
  };
  return {{"address", "rows whose addresses the lanes give", addresses},
          {"registers", "registers, " + matrices, values("registers", move.registers)}};
}

std::vector<Part> parts_of(const Instruction& i, char only) {
  return i.kind == Instruction::Kind::mma ? mma_parts(i.mma, only) : move_parts(i.move);
}

std::string joined(const Cells& cells, std::string_view between) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += between;
    line += cells[i];
  }
  return line;
}

/// Names hold underscores nowhere, but formats change: what LaTeX reads as commands is escaped.
std::string latex_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("_#%&$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string fragment_csv_head(const Instruction& instruction) {
  return joined(head_of(instruction), ",") + '\n';
}

std::string fragment_csv(const Instruction& instruction, char only) {
  std::string out;
  for (const Part& part : parts_of(instruction, only)) {
    part.lines([&](const Cells& cells) { out += joined(cells, ",") + '\n'; });
  }
  return out;
}

std::string fragment_csv_lines(const Instruction& instruction, char only) {
  const Cells head = head_of(instruction);
  const bool group = head[1] == "group";
  const bool matrix = instruction.kind == Instruction::Kind::move;
  // Columns that this kind lacks, as places in its own head.
  const size_t no_group = group ? head.size() : 1,
               no_matrix = matrix ? head.size() : head.size() - 2;
  std::string out;
  for (const Part& part : parts_of(instruction, only)) {
    part.lines([&](const Cells& cells) {
      out += instruction.name;
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i == no_group || i == no_matrix) out += ',';
        out += ',';
        out += cells[i];
      }
      out += '\n';
    });
  }
  return out;
}

std::string fragment_markdown(const Instruction& instruction, char only) {
  std::string out = "## " + instruction.name + "\n";
  const Cells head = head_of(instruction);
  for (const Part& part : parts_of(instruction, only)) {
    out += "\n### " + part.what + "\n\n| " + joined(head, " | ") + " |\n|";
    for (size_t i = 0; i < head.size(); ++i) out += i == 0 ? " --- |" : " ---: |";
    out += '\n';
    part.lines([&](const Cells& cells) { out += "| " + joined(cells, " | ") + " |\n"; });
  }
  return out;
}

std::string fragment_latex(const Instruction& instruction, char only) {
  // A tabular does not break over pages: this many lines fit on one.
  constexpr int kLinesAPage = 40;
  const Cells head = head_of(instruction);
  const std::string begin = "\\noindent\\begin{tabular}{l" + std::string(head.size() - 1, 'r') +
                            "}\n\\hline\n" + joined(head, " & ") + " \\\\\n\\hline\n";
  const std::string end = "\\hline\n\\end{tabular}\n";
  std::string out = "% " + instruction.name + "\n";
  for (const Part& part : parts_of(instruction, only)) {
    out += "\\par\\medskip\\noindent\\texttt{" + latex_text(instruction.name) +
           "}: " + latex_text(part.what) + "\\par\\smallskip\n";
    int lines = 0;
    part.lines([&](const Cells& cells) {
      if (lines % kLinesAPage == 0) out += (lines > 0 ? end + "\\par\\smallskip\n" : "") + begin;
      ++lines;
      out += joined(cells, " & ") + " \\\\\n";
    });
    out += end;
  }
  return out;
}

}  // namespace tilescope::model
