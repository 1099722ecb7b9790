// The sentence of a fault.
#include <cstdio>

#include "emulator/run_state.h"

namespace tilescope::emulator {
namespace {

std::string hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}

// "'A' + 4096 of 4096 bytes" or nothing, if the address is in no buffer's range.
std::string place(const RunState& state, uint64_t address) {
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

}  // namespace

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
  const bool global = what.find("global") != std::string::npos;
  const std::string at = " at " + hex(f.address) + (global ? place(state, f.address) : "");
  const std::string limit = what.find("shared") != std::string::npos
                                ? " (the CTA has " + std::to_string(state.shared_bytes) + " bytes)"
                            : what.find("local") != std::string::npos
                                ? " (a lane has " + std::to_string(code.local_bytes) + " bytes)"
                                : "";
  std::string text;
  switch (f.kind) {
    case Fault::Kind::out_of_bounds:
      text = what + at + limit + " is out of bounds";
      break;
    case Fault::Kind::misaligned:
      text = what + at + " is misaligned";
      break;
    case Fault::Kind::read_only:
      text = what + at + " hits a read-only buffer";
      break;
    case Fault::Kind::deadlock:
      text = "waits at a barrier that can never complete (deadlock), as " + what;
      break;
    case Fault::Kind::partial_warp:
      text = what + " needs all 32 lanes of the warp, but this lane is not active";
      break;
    case Fault::Kind::race:
      text = "race: " + what + " at " + hex(f.address) + " " + signal.hint;
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
  }
  f.message = "CTA (" + std::to_string(cta.x) + ", " + std::to_string(cta.y) + ", " +
              std::to_string(cta.z) + "), warp " + std::to_string(warp) + ", lane " +
              std::to_string(f.lane) + ": " + text;
  if (f.ptx_line) f.message += ", at PTX line " + std::to_string(f.ptx_line);
  if (f.source.line) f.message += " (" + f.source.file + ":" + std::to_string(f.source.line) + ")";
  f.message += ".";
  return f;
}

}  // namespace tilescope::emulator
