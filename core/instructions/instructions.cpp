#include "core/instructions/instructions.h"

#include <fmt/format.h>

#include "core/model/names.h"

namespace tilescope::model {
namespace {

/// CuTe writes types in capitals, tf32 as itself and b1 as U1.
std::string cute_type(ElementType type) {
  if (type == ElementType::b1) return "U1";
  std::string name = name_of(type);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string cute_name(const MmaSpec& s, int min_sm) {
  const std::string shape = fmt::format("{}x{}x{}", s.m, s.n, s.k);
  switch (s.kind) {
    case MmaKind::threads:
    case MmaKind::wmma:
      return "";
    case MmaKind::wgmma: {
      // RS: A from registers. TN is spelled where the types allow no other order.
      const bool any_order = element_bits(s.type_a) == 16;
      if (s.op != BitOp::none) return "";
      return fmt::format("SM90_{}_{}{}{}_RS{}{}", shape, cute_type(s.type_d), cute_type(s.type_a),
                         cute_type(s.type_b), any_order ? "" : "_TN",
                         s.saturate ? "_SATURATE" : "");
    }
    case MmaKind::mma_sync:
      break;
  }
  std::string tail = s.order_a == Order::row_major ? "T" : "N";
  tail += s.order_b == Order::column_major ? "N" : "T";
  if (s.saturate) tail += "_SATURATE";
  if (s.op == BitOp::xor_popc) tail += "_XORPOPC";
  if (s.op == BitOp::and_popc) tail += "_ANDPOPC";
  return fmt::format("SM{}_{}_{}{}{}{}_{}", min_sm, shape, cute_type(s.type_d), cute_type(s.type_a),
                     cute_type(s.type_b), cute_type(s.type_c), tail);
}

std::string types_text(const MmaSpec& s) {
  const std::string in = s.type_a == s.type_b
                             ? name_of(s.type_a)
                             : fmt::format("{}·{}", name_of(s.type_a), name_of(s.type_b));
  return fmt::format("{} → {}", in, name_of(s.type_d));
}

Instruction mma_instruction(const MmaSpec& spec, int min_sm) {
  Instruction i;
  i.kind = Instruction::Kind::mma;
  i.name = ptx_name(spec);
  // The plainest has no family in its short name.
  const std::string family =
      spec.kind == MmaKind::mma_sync ? "" : fmt::format("{} ", name_of(spec.kind));
  i.short_name = fmt::format("{}m{}n{}k{} · {}", family, spec.m, spec.n, spec.k, types_text(spec));
  i.cute_name = cute_name(spec, min_sm);
  i.min_sm = min_sm;
  i.mma = make_mma(spec);
  return i;
}

Instruction move_instruction(MatrixMoveKind kind, int matrices, bool transposed) {
  Instruction i;
  i.kind = Instruction::Kind::move;
  i.move = make_matrix_move(kind, matrices, transposed);
  i.name = ptx_name(i.move);
  const bool load = kind == MatrixMoveKind::ldmatrix, store = kind == MatrixMoveKind::stmatrix;
  i.short_name = kind == MatrixMoveKind::movmatrix
                     ? "movmatrix.trans"
                     : fmt::format("{}.x{}{}", load ? "ldmatrix" : "stmatrix", matrices,
                                   transposed ? ".trans" : "");
  if (load) {
    i.cute_name = fmt::format("SM75_U{}x{}_LDSM_{}", transposed ? 16 : 32,
                              transposed ? matrices * 2 : matrices, transposed ? 'T' : 'N');
  } else if (store) {
    i.cute_name = fmt::format("SM90_U{}x{}_STSM_{}", transposed ? 16 : 32,
                              transposed ? matrices * 2 : matrices, transposed ? 'T' : 'N');
  }
  i.min_sm = store ? 90 : 75;
  return i;
}

std::vector<Instruction> make_all() {
  std::vector<Instruction> all;
  for (int f = 0; f < kMmaFamilies; ++f) {
    if (mma_family(f).kind == MmaKind::wgmma) continue;
    for_each_mma(mma_family(f), [&](const MmaSpec& spec, const MmaFamily& family) {
      all.push_back(mma_instruction(spec, family.min_sm));
    });
  }
  for (MatrixMoveKind kind : {MatrixMoveKind::ldmatrix, MatrixMoveKind::stmatrix}) {
    for (bool transposed : {false, true}) {
      for (int matrices : {4, 2, 1}) all.push_back(move_instruction(kind, matrices, transposed));
    }
  }
  all.push_back(move_instruction(MatrixMoveKind::movmatrix, 1, true));
  // wgmma last: it is most of the list.
  for (int f = 0; f < kMmaFamilies; ++f) {
    if (mma_family(f).kind != MmaKind::wgmma) continue;
    for_each_mma(mma_family(f), [&](const MmaSpec& spec, const MmaFamily& family) {
      all.push_back(mma_instruction(spec, family.min_sm));
    });
  }
  return all;
}

}  // namespace

std::string ptx_name(const MmaSpec& s) {
  const auto order = [](Order o) { return o == Order::row_major ? "row" : "col"; };
  const char* satfinite = s.saturate ? ".satfinite" : "";
  const char* op = s.op == BitOp::xor_popc   ? ".xor.popc"
                   : s.op == BitOp::and_popc ? ".and.popc"
                                             : "";
  const std::string shape = fmt::format("m{}n{}k{}", s.m, s.n, s.k);
  const char *a = name_of(s.type_a), *b = name_of(s.type_b), *c = name_of(s.type_c),
             *d = name_of(s.type_d);
  switch (s.kind) {
    case MmaKind::wmma:
      return fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{}.{}", order(s.order_a), order(s.order_b),
                         shape, d, c);
    case MmaKind::wgmma:
      return fmt::format("wgmma.mma_async.sync.aligned.{}{}.{}.{}.{}{}", shape, satfinite, d, a, b,
                         op);
    case MmaKind::mma_sync:
      return fmt::format("mma.sync.aligned.{}.{}.{}{}.{}.{}.{}.{}{}", shape, order(s.order_a),
                         order(s.order_b), satfinite, d, a, b, c, op);
    case MmaKind::threads:
      return "fma.rn.f32";
  }
  return "";
}

std::string ptx_name(const MatrixMove& move) {
  if (move.kind == MatrixMoveKind::movmatrix) return "movmatrix.sync.aligned.m8n8.trans.b16";
  return fmt::format("{}.sync.aligned.m8n8.x{}{}.shared.b16",
                     move.kind == MatrixMoveKind::ldmatrix ? "ldmatrix" : "stmatrix", move.matrices,
                     move.transposed ? ".trans" : "");
}

const std::vector<Instruction>& instructions() {
  static const std::vector<Instruction> all = make_all();
  return all;
}

const Instruction& instruction_of(const MmaAtom& atom) {
  for (const Instruction& i : instructions()) {
    if (i.kind == Instruction::Kind::mma && static_cast<const MmaSpec&>(i.mma) == atom) return i;
  }
  return instructions().front();
}

}  // namespace tilescope::model
