// Every warp-level instruction whose lane map Tilescope knows: the list, its PTX names, and how
// people find one. The maps themselves are core/layout's.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/matrix_move.h"
#include "core/layout/mma_list.h"

namespace tilescope::model {

struct Instruction {
  enum class Kind { mma, move };
  Kind kind = Kind::mma;
  std::string name;        // in PTX: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  std::string short_name;  // "m16n8k16 · f16 → f32"
  std::string cute_name;   // of CuTe's atom, empty if it has none: "SM80_16x8x16_F32F16F16F32_TN"
  int min_sm = 75;         // compute capability × 10
  MmaAtom mma;             // Kind::mma
  MatrixMove move;         // Kind::move
};

/// PTX name of an instruction; of wmma that of wmma.mma.
std::string ptx_name(const MmaSpec& spec);
std::string ptx_name(const MatrixMove& move);

/// All of them, in the order in which lists show them. Made once.
const std::vector<Instruction>& instructions();
/// By PTX or CuTe name; nullptr if there is none.
const Instruction* find_instruction(std::string_view name);
/// The instruction of an atom that a kernel uses.
const Instruction& instruction_of(const MmaAtom& atom);

/// Those that match every word of a query, best first. A word is part of a PTX or CuTe name, a
/// shape ("16x8x16", "64x256"), a type, an architecture ("sm_80", "hopper"). An empty query: all.
std::vector<const Instruction*> search_instructions(std::string_view query);
/// The `count` most similar names, for "did you mean".
std::vector<std::string> nearest_instructions(std::string_view name, size_t count);

}  // namespace tilescope::model
