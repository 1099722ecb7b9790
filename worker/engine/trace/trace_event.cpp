#include "worker/engine/trace/trace_event.h"

namespace tilescope::worker {
namespace {

bool has(const emulator::Instruction* instruction, std::string_view part) {
  return instruction && instruction->opcode.find(part) != std::string::npos;
}

}  // namespace

DataEvent EventFollower::begin(const emulator::Trace& trace) const {
  using emulator::EventKind;
  const emulator::Event& event = trace.events.back();
  DataEvent data;
  data.event = trace.events.size() - 1;
  data.warp = event.warp;
  data.instruction = lines_.at(event.ptx_line);
  data.shared = event.kind == EventKind::copy || event.kind == EventKind::load_shared ||
                event.kind == EventKind::store_shared;
  return data;
}

uint32_t addressing_lanes(const emulator::Event& event, const emulator::Instruction* instruction) {
  if (!has(instruction, "matrix.")) return event.active;
  constexpr int kRows = 8;  // of a matrix (PTX ISA, ldmatrix)
  const int rows = has(instruction, ".x4")   ? 4 * kRows
                   : has(instruction, ".x2") ? 2 * kRows
                                             : kRows;
  return ~0u >> (32 - rows);
}

void CopyGroups::follow(const emulator::Event& event, DataEvent& data) {
  Warp& warp = warps_[event.warp];
  if (has(data.instruction, "cp.async.commit_group") ||
      has(data.instruction, "cp.async.wait_all")) {
    ++warp.committed;
  }
  if (event.index != warp.next) warp.committed += event.pending_groups;
  warp.next = event.index + 1;
  data.groups_done = warp.committed - event.pending_groups;
  if (event.kind == emulator::EventKind::copy) data.group = warp.committed;
}

}  // namespace tilescope::worker
