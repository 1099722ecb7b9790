// Exports an instruction's lane map for other programs: as JSON, CSV, Markdown, LaTeX or C++.
#pragma once
#include <string>
#include <vector>

#include "core/instructions/instructions.h"

namespace tilescope::model {

/// A fragment under the name that exports give it: A, B, C or D. `fragment` is null for B of wgmma,
/// which no thread holds.
struct NamedFragment {
  char name = 'A';
  const FragmentLayout* fragment = nullptr;
};
/// A, B and C, and D if its map is not that of C. `only`: this letter alone (D even if its map is
/// that of C); 0: all.
std::vector<NamedFragment> named_fragments(const MmaAtom& atom, char only = 0);

/// The document that docs/cli.md describes under "fragments", without a line break at its end.
std::string fragment_json(const Instruction& instruction, char only = 0);

/// One line per value: operand, lane (thread of a warpgroup), register, slot in it, value, row,
/// col; of ldmatrix and its like also matrix, and the addresses. The head is apart.
std::string fragment_csv_head(const Instruction& instruction);
std::string fragment_csv(const Instruction& instruction, char only = 0);
/// The same as lines of one table of several instructions; cells that a kind lacks are empty.
inline constexpr const char* kFragmentsCsvHead =
    "atom,operand,group,lane,register,slot,value,matrix,row,col\n";
std::string fragment_csv_lines(const Instruction& instruction, char only = 0);
/// The same as Markdown tables under a heading.
std::string fragment_markdown(const Instruction& instruction, char only = 0);
/// The same as tabulars of plain LaTeX, cut where a page ends.
std::string fragment_latex(const Instruction& instruction, char only = 0);

/// The maps both ways round as constexpr functions in a namespace of the instruction's name; C++17,
/// no includes. `checked` ends the comment that says how the map was checked.
std::string fragment_cpp(const Instruction& instruction, const std::string& checked, char only = 0);
/// What Tilescope's own tests and recorded proofs say of an instruction, for `checked`.
std::string how_checked(const Instruction& instruction);
/// The same of a proof that was recorded on a device. `driver`: the CUDA version that it supports.
std::string how_proven(const std::string& device, const std::string& driver,
                       const std::string& date);

}  // namespace tilescope::model
