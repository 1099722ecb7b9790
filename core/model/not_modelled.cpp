#include "core/model/not_modelled.h"

#include "core/language/language.h"
#include "core/model/names.h"

namespace tilescope::model {
namespace {

bool has_rate(MmaKind kind) {
  switch (kind) {
    case MmaKind::mma_sync:
    case MmaKind::wmma:
    case MmaKind::wgmma:
    case MmaKind::threads:
      return true;
  }
  return false;
}
bool is_walked(CopyKind kind) {
  switch (kind) {
    case CopyKind::direct:
    case CopyKind::staged:
    case CopyKind::cp_async:
    case CopyKind::tensor:
      return true;
    case CopyKind::none:
      return false;
  }
  return false;
}
bool is_walked(LoadKind kind) {
  switch (kind) {
    case LoadKind::global:
    case LoadKind::lds:
    case LoadKind::ldmatrix:
    case LoadKind::wmma:
      return true;
    case LoadKind::none:
      return false;
  }
  return false;
}

/// Whose time was measured: whoever adds launches of another kind to tests/fixtures/model or to
/// assets/recordings, and fits the constants to them (bench/fit), says so here.
bool is_measured(MmaKind kind) {
  switch (kind) {
    case MmaKind::mma_sync:
    case MmaKind::wmma:
    case MmaKind::threads:
    case MmaKind::wgmma:
      return true;
  }
  return false;
}
bool is_measured(CopyKind kind) {
  switch (kind) {
    case CopyKind::direct:
    case CopyKind::staged:
    case CopyKind::cp_async:
    case CopyKind::none:
    case CopyKind::tensor:
      return true;
  }
  return false;
}
constexpr int kMostSpilled = 1312;  // bytes of a thread

}  // namespace

std::string not_measured(const KernelPlan& plan, int spill_bytes) {
  std::string parts;
  const auto add = [&](bool measured, const std::string& part) {
    if (!measured) parts += (parts.empty() ? tr("never measured: ") : ", ") + part;
  };
  add(is_measured(plan.atom.kind), name_of(plan.atom.kind));
  const MmaAtom& atom = plan.atom;
  add(!atom.in_shared(Operand::b) || atom.in_shared(Operand::a), tr("wgmma with A in registers"));
  add(is_measured(plan.copy_a.kind) && is_measured(plan.copy_b.kind), tr("copies of that kind"));
  add(spill_bytes <= kMostSpilled, wording("{} spilled bytes a thread", spill_bytes));
  return parts;
}

std::string not_modelled(const KernelPlan& plan) {
  std::string parts;
  const auto add = [&](bool known, const std::string& part) {
    if (!known) parts += (parts.empty() ? tr("not modelled: ") : ", ") + part;
  };
  add(has_rate(plan.atom.kind), name_of(plan.atom.kind));
  for (const Operand o : {Operand::a, Operand::b}) {
    add(is_walked(copy_of(plan, o).kind), wording("copies of {}", name_of(o)));
    const bool by_product = plan.atom.in_shared(o);
    add(by_product || is_walked(load_of(plan, o).kind), wording("loads of {}", name_of(o)));
  }
  return parts;
}

}  // namespace tilescope::model
