#include "worker/engine/probe/probe.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/model/format.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"
#include "worker/engine/probe/probe_text.h"

namespace tilescope::worker {
namespace {

using model::Instruction;

/// Roughly: the bytes that an instruction's probe writes.
double effort(const Instruction& i) {
  if (i.kind == Instruction::Kind::move) return 0;
  return 1.0 * i.mma.m * i.mma.n * i.mma.k;
}

}  // namespace

Proof prove(const Instruction& instruction, ProbeMachine& machine) {
  const auto begin = std::chrono::steady_clock::now();
  Proof proof;
  proof.atom = instruction.name;
  proof.device = machine.device();
  proof.driver = machine.driver();
  proof.date = model::today();
  FactCheck comparison;
  try {
    if (instruction.kind == Instruction::Kind::move) {
      prove_move(instruction, machine, comparison);
    } else {
      prove_product(instruction, machine, comparison);
      if (instruction.mma.kind == MmaKind::wmma) {
        prove_wmma_moves(instruction, machine, comparison);
      }
    }
    proof.compared = comparison.compared;
    proof.wrong = comparison.wrong;
    proof.first_wrong = comparison.first_wrong;
    proof.ok = comparison.compared > 0 && comparison.wrong == 0;
  } catch (const Unsupported& why) {
    proof.unsupported = why.sentence;
  } catch (const RpcError& error) {
    if (error.data.is_object() && error.data.contains("fatal")) throw;
    proof.failed = error.message;
  }
  proof.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return proof;
}

std::vector<Proof> prove(std::span<const Instruction* const> instructions, ProbeMachine& machine,
                         const ProveOptions& options) {
  std::vector<Proof> proofs(instructions.size());
  // The longest first, so that no thread is left with one at the end.
  std::vector<size_t> order(instructions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return effort(*instructions[a]) > effort(*instructions[b]);
  });
  std::mutex mutex;
  std::optional<RpcError> fatal;
  std::atomic<bool> stop = false;
  size_t done = 0;
  parallel_for(machine.threads(), order.size(), [&](size_t i) {
    if (stop || (options.cancelled && options.cancelled->load())) return;
    const auto give_up = [&](RpcError error) {
      const std::lock_guard lock(mutex);
      if (!fatal) fatal = std::move(error);
      stop = true;
    };
    try {
      proofs[order[i]] = prove(*instructions[order[i]], machine);
      const std::lock_guard lock(mutex);
      ++done;
      if (options.progress) options.progress(done, order.size());
    } catch (const RpcError& error) {
      give_up(error);
    } catch (const std::exception& error) {
      give_up({kServerError, kFailed, error.what(), {}});
    }
  });
  if (fatal) throw *fatal;
  if (options.cancelled && options.cancelled->load()) fail_cancelled();
  return proofs;
}

ProbeText probe_text(const Instruction& instruction, const std::string& name) {
  if (instruction.kind == Instruction::Kind::move) {
    return {probe_header(probe_target(instruction.move.kind)),
            {move_entry(instruction.move, instruction.name, name)}};
  }
  const MmaAtom& atom = instruction.mma;
  ProbeText text{probe_header(probe_target(atom, instruction.min_sm)),
                 {mma_entry(atom, instruction.name, name)}};
  if (atom.kind != MmaKind::wmma) return text;
  text.entries.push_back(wmma_entry(atom, WmmaPart::a, atom.order_a, name + "_a"));
  text.entries.push_back(wmma_entry(atom, WmmaPart::b, atom.order_b, name + "_b"));
  for (Order order : {Order::row_major, Order::column_major}) {
    const bool rows = order == Order::row_major;
    text.entries.push_back(wmma_entry(atom, WmmaPart::c, order, name + (rows ? "_cr" : "_cc")));
    text.entries.push_back(wmma_entry(atom, WmmaPart::d, order, name + (rows ? "_dr" : "_dc")));
  }
  return text;
}

}  // namespace tilescope::worker
