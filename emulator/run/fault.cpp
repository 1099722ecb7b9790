// The sentence of a fault.
#include <cstdio>

#include "emulator/checks/check_findings.h"
#include "emulator/machine/run_state.h"

namespace tilescope::emulator {

std::string hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}

std::string buffer_words(const RunState& state, uint64_t address) {
  const uint64_t index = address >> kRegionShift, offset = address & kOffsetMask;
  const auto& buffers = state.memory->impl().buffers;
  std::string name;
  uint64_t bytes = 0;
  if (index >= 1 && index <= buffers.size()) {
    name = buffers[index - 1].name;
    bytes = buffers[index - 1].bytes;
  } else if (index >= kModuleRegions &&
             index - kModuleRegions < state.program->impl().data.size()) {
    name = state.program->impl().data[index - kModuleRegions].name;
    bytes = state.program->impl().data[index - kModuleRegions].bytes;
  } else if (index == kParameterRegion) {
    name = "the parameters";
    bytes = state.parameters.size();
  } else {
    return " (in no buffer)";
  }
  return " ('" + name + "' + " + std::to_string(offset) + ", which has " + std::to_string(bytes) +
         " bytes)";
}

const char* kind_name(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::out_of_bounds:
      return "out_of_bounds";
    case Fault::Kind::misaligned:
      return "misaligned";
    case Fault::Kind::deadlock:
      return "deadlock";
    case Fault::Kind::read_only:
      return "read_only";
    case Fault::Kind::partial_warp:
      return "partial_warp";
    case Fault::Kind::race:
      return "race";
    case Fault::Kind::limit:
      return "limit";
    case Fault::Kind::cancelled:
      return "cancelled";
    case Fault::Kind::unsupported:
      return "unsupported";
    case Fault::Kind::trap:
      return "trap";
    case Fault::Kind::unwritten:
      return "unwritten";
    case Fault::Kind::copy_pending:
      return "copy_pending";
    case Fault::Kind::lane_conflict:
      return "lane_conflict";
    case Fault::Kind::cta_conflict:
      return "cta_conflict";
    case Fault::Kind::proxy:
      return "proxy";
    case Fault::Kind::product_pending:
      return "product_pending";
    case Fault::Kind::phase_twice:
      return "phase_twice";
    case Fault::Kind::cta_left:
      return "cta_left";
    case Fault::Kind::bank_conflict:
      return "bank_conflict";
    case Fault::Kind::uncoalesced:
      return "uncoalesced";
    case Fault::Kind::equal_stores:
      return "equal_stores";
  }
  return "unknown";
}

std::string access_words(const RunState& state, Fault::Kind kind, Dim3 cta, uint64_t address,
                         const std::string& what) {
  const bool global = what.find("global") != std::string::npos;
  const uint32_t rank = rank_of(address, rank_in(state.cluster, cta));
  const bool mapped = !global && what.find("shared") != std::string::npos &&
                      address >> kRankShift != 0 && rank < state.cluster_ctas();
  const std::string at =
      " at " + (mapped ? hex(address & kClusterOffset) + " of " +
                             cta_words(member_of(state.cluster, cta, rank))
                       : hex(address) + (global ? buffer_words(state, address) : ""));
  const std::string limit =
      what.find("shared") != std::string::npos
          ? " (the CTA has " + std::to_string(state.shared_bytes) + " bytes)"
      : what.find("local") != std::string::npos
          ? " (a lane has " + std::to_string(state.entry->code.local_bytes) + " bytes)"
          : "";
  switch (kind) {
    case Fault::Kind::misaligned:
      return what + at + " is misaligned";
    case Fault::Kind::read_only:
      return what + at + " hits a read-only buffer";
    case Fault::Kind::cta_left:
      return what + at + " comes when " + cta_words(member_of(state.cluster, cta, rank)) +
             " has already left; let it wait at the cluster's barrier before it ends";
    default:
      return what + at + limit + " is out of bounds";
  }
}

std::string warp_names(const std::vector<uint32_t>& warps) {
  std::string text = warps.size() == 1 ? "warp " : "warps ";
  for (size_t i = 0; i < warps.size(); ++i) {
    size_t end = i;
    while (end + 1 < warps.size() && warps[end + 1] == warps[end] + 1) ++end;
    text += (i ? ", " : "") + std::to_string(warps[i]);
    if (end > i) text += (end == i + 1 ? ", " : " to ") + std::to_string(warps[end]);
    i = end;
  }
  return text;
}

Fault describe_fault(const RunState& state, const FaultSignal& signal, Dim3 cta, uint32_t warp) {
  Fault f;
  f.kind = signal.kind;
  f.cta = cta;
  f.warp = warp;
  f.lane = signal.lane;
  f.address = signal.address;
  const Code& code = state.entry->code;
  if (signal.inst) {
    f.ptx_line = code.info[static_cast<size_t>(signal.inst - code.instructions.data())].ptx_line;
    f.source = state.program->source_line(f.ptx_line);
  }
  const std::string what = signal.what;
  std::string text;
  switch (f.kind) {
    case Fault::Kind::out_of_bounds:
    case Fault::Kind::misaligned:
    case Fault::Kind::read_only:
    case Fault::Kind::cta_left:
      text = access_words(state, f.kind, cta, f.address, what) + signal.hint;
      break;
    case Fault::Kind::deadlock:
      text = "waits at a barrier that can never complete (deadlock): " + what;
      break;
    case Fault::Kind::partial_warp:
      text = what + " needs all 32 lanes of the warp, but this lane is not active";
      break;
    case Fault::Kind::limit:
      text = "the run reached its limit of warp instructions";
      break;
    case Fault::Kind::cancelled:
      text = "the run was cancelled";
      break;
    case Fault::Kind::unsupported:
      text = what;
      break;
    case Fault::Kind::trap:
      text = "the kernel executed " + what;
      break;
    default:  // never thrown: these are findings
      text = what;
      break;
  }
  f.message = cta_words(cta) + ", warp " + std::to_string(warp) + ", lane " +
              std::to_string(f.lane) + ": " + text;
  if (f.ptx_line) f.message += ", at PTX line " + std::to_string(f.ptx_line);
  if (f.source.line) f.message += " (" + f.source.file + ":" + std::to_string(f.source.line) + ")";
  f.message += ".";
  return f;
}

}  // namespace tilescope::emulator
