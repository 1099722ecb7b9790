#include "worker/engine/emulate/sheet_launch.h"

#include <algorithm>
#include <cstring>

#include "core/sheet/check_sheet.h"
#include "core/sheet/sheet_error.h"
#include "worker/engine/emulate/memory_limit.h"
#include "worker/engine/emulate/operands.h"
#include "worker/engine/emulate/sheet_buffers.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

using sheet::BufferSpec;
using sheet::Direction;

sheet::Extent extent_of(emulator::Dim3 d) { return {d.x, d.y, d.z}; }
emulator::Dim3 dim3_of(const sheet::Extent& e) { return {e.x, e.y, e.z}; }

std::string name_of_argument(const LaunchRequest& request, size_t i) {
  const bool named = i < request.names.size() && !request.names[i].empty();
  return named ? request.names[i] : "argument " + std::to_string(i);
}

/// Fails with what is wrong with the sheet; the SPECs of one that is right.
std::vector<sheet::ArgumentSpec> checked_arguments(const emulator::EntryInfo& entry,
                                                   const sheet::LaunchSheet& sheet) {
  const sheet::Signature signature = signature_of(entry);
  const auto faults = sheet::faults_of(signature, sheet);
  if (!faults.empty()) fail(kUsage, faults.front());
  return sheet::arguments_of(signature, sheet);
}

void allocate(const LaunchRequest& request, const std::vector<sheet::ArgumentSpec>& specs,
              EmulatedLaunch& all) {
  const auto& args = request.sheet->args;
  std::vector<SheetBuffer> buffers(specs.size());
  uint64_t bytes = 0;
  for (size_t i = 0; i < specs.size(); ++i) {
    const auto* spec = std::get_if<BufferSpec>(&specs[i]);
    if (!spec) continue;
    buffers[i] = open_buffer(*spec, "Argument " + std::to_string(i) + " (" + args[i] + ")");
    bytes += buffers[i].bytes;
  }
  require_memory(bytes, "the buffers", "smaller ones");
  const int c = request.sheet->gemm ? request.sheet->gemm->c : -1;
  all.arguments.assign(specs.size(), 0);
  for (size_t i = 0; i < specs.size(); ++i) {
    const auto* spec = std::get_if<BufferSpec>(&specs[i]);
    if (!spec) continue;
    const uint64_t at = all.memory.allocate(name_of_argument(request, i), buffers[i].bytes,
                                            spec->direction == Direction::in);
    all.buffers.push_back(at);
    all.arguments[i] = at;
    if (spec->direction == Direction::out && spec->fill == sheet::Fill::zeros) {
      // An element of C that nobody writes must not be taken for a zero.
      const bool is_c = static_cast<int>(i) == c && spec->type;
      if (is_c) {
        fill_untouched(spec->type->bytes == 4 ? ElementType::f32 : ElementType::f16,
                       all.memory.bytes(at));
      }
      all.memory.expect_written_first(at);
      continue;
    }
    fill_buffer(*spec, buffers[i], i, request.seed, all.memory.bytes(at));
  }
}

std::vector<std::byte> parameter_block(const emulator::EntryInfo& entry,
                                       const std::vector<sheet::ArgumentSpec>& specs,
                                       const std::vector<uint64_t>& addresses) {
  std::vector<std::byte> block(entry.parameter_bytes);
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    std::byte* to = block.data() + entry.parameters[i].offset;
    if (const auto* value = std::get_if<sheet::ValueSpec>(&specs[i])) {
      std::memcpy(to, value->bytes.data(), value->bytes.size());
    } else if (const auto* all = std::get_if<sheet::StructSpec>(&specs[i])) {
      std::memcpy(to, all->bytes.data(), all->bytes.size());
      for (const auto& p : all->pointers) {
        std::memcpy(to + p.offset, &addresses[p.argument], sizeof(uint64_t));
      }
    } else {
      std::memcpy(to, &addresses[i], sizeof(uint64_t));
    }
  }
  return block;
}

}  // namespace

sheet::Signature signature_of(const emulator::EntryInfo& entry) {
  sheet::Signature s;
  const sheet::Demangled name = sheet::demangled(entry.name);
  s.entry = entry.name;
  s.demangled = name.name;
  s.parameter_bytes = entry.parameter_bytes;
  s.required_block = extent_of(entry.required_block);
  s.most_block = extent_of(entry.most_block);
  s.static_shared = entry.static_shared_bytes;
  s.dynamic_shared = entry.dynamic_shared;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const emulator::Parameter& p = entry.parameters[i];
    sheet::Parameter parameter{p.name, p.type, p.offset, p.bytes};
    // "_Z4gemmPf_param_0" says nothing that "parameter 0" does not.
    if (p.name.starts_with(entry.name + "_param_")) parameter.name.clear();
    if (name.types.size() == entry.parameters.size()) {
      parameter.cpp = name.types[i];
      parameter.is_const = parameter.cpp.find("const*") != std::string::npos;
      parameter.is_restrict = parameter.cpp.find("__restrict") != std::string::npos;
    }
    s.parameters.push_back(std::move(parameter));
  }
  return s;
}

EmulatedLaunch prepare_sheet(const LaunchRequest& request, emulator::Registers registers) try {
  const sheet::LaunchSheet& sheet = *request.sheet;
  EmulatedLaunch all;
  all.program = parse_program(request.ptx, registers);
  all.entry = sheet.entry;
  const emulator::EntryInfo* entry = all.program->find(sheet.entry);
  if (!entry) fail(kUsage, "The PTX has no kernel " + sheet.entry + ".");
  const auto specs = checked_arguments(*entry, sheet);
  allocate(request, specs, all);
  all.launch.grid = dim3_of(*sheet.grid);
  all.launch.block = dim3_of(*sheet.block);
  all.launch.dynamic_shared_bytes = sheet.shared;
  all.launch.parameters = parameter_block(*entry, specs, all.arguments);
  return all;
} catch (const sheet::SheetError& error) {
  fail(kUsage, error.what());
}

}  // namespace tilescope::worker
