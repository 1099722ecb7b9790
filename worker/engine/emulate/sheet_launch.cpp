#include "worker/engine/emulate/sheet_launch.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "core/model/format.h"
#include "core/model/names.h"
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

/// Of C, whose elements that nobody writes must not be taken for zeros; nothing of any other.
std::optional<ElementType> untouched_type(const LaunchRequest& request, size_t argument,
                                          const BufferSpec& spec) {
  const auto& gemm = request.sheet->gemm;
  const bool is_c = gemm && gemm->c == static_cast<int>(argument);
  const bool is_written = spec.direction == Direction::out && spec.fill == sheet::Fill::zeros;
  if (!is_c || !is_written || !spec.type) return std::nullopt;
  return model::element_type_named(spec.type->name);
}

emulator::TensorMap tensor_map_of(const sheet::TensorMapSpec& spec, uint64_t buffer) {
  emulator::TensorMap map;
  map.type = static_cast<emulator::TensorType>(spec.element->code);
  map.rank = spec.rank, map.address = buffer + spec.offset;
  map.dims = spec.dims, map.strides = spec.strides;
  map.box = spec.box, map.element_strides = spec.steps;
  map.swizzle = spec.swizzle, map.nan_fill = spec.nan_fill;
  return map;
}

void allocate(const LaunchRequest& request, const SheetArguments& arguments, EmulatedLaunch& all) {
  require_memory(arguments.bytes(), "the buffers", "smaller ones");
  all.arguments.assign(arguments.specs.size(), 0);
  for (size_t i = 0; i < arguments.specs.size(); ++i) {
    const BufferSpec* spec = arguments.buffer(i);
    if (!spec) continue;
    const uint64_t at = all.memory.allocate(argument_name(request, i), arguments.buffers[i].bytes,
                                            spec->direction == Direction::in);
    all.buffers.push_back(at);
    all.arguments[i] = at;
    fill_argument(arguments, request, i, all.memory.bytes(at));
    if (spec->direction == Direction::out && spec->fill == sheet::Fill::zeros) {
      all.memory.expect_written_first(at);
    }
  }
}

}  // namespace

std::string argument_name(const LaunchRequest& request, size_t argument) {
  const bool named = argument < request.names.size() && !request.names[argument].empty();
  return named ? request.names[argument] : "argument " + std::to_string(argument);
}

uint64_t SheetArguments::bytes() const {
  uint64_t all = 0;
  for (const SheetBuffer& buffer : buffers) all += buffer.bytes;
  return all;
}

SheetArguments open_arguments(const emulator::EntryInfo& entry, const LaunchRequest& request) {
  const sheet::LaunchSheet& sheet = *request.sheet;
  const sheet::Signature signature = signature_of(entry);
  const auto faults = sheet::faults_of(signature, sheet);
  if (!faults.empty()) fail(kUsage, faults.front());
  SheetArguments arguments{sheet::arguments_of(signature, sheet)};
  arguments.buffers.resize(arguments.specs.size());
  for (size_t i = 0; i < arguments.specs.size(); ++i) {
    const BufferSpec* spec = arguments.buffer(i);
    if (!spec) continue;
    arguments.buffers[i] =
        open_buffer(*spec, "Argument " + std::to_string(i) + " (" + sheet.args[i] + ")");
  }
  return arguments;
}

void fill_argument(const SheetArguments& arguments, const LaunchRequest& request, size_t argument,
                   std::span<std::byte> to) {
  const BufferSpec& spec = *arguments.buffer(argument);
  if (const auto type = untouched_type(request, argument, spec)) return fill_untouched(*type, to);
  fill_buffer(spec, arguments.buffers[argument], argument, request.seed, to);
}

std::vector<std::byte> parameter_block(const emulator::EntryInfo& entry,
                                       const SheetArguments& arguments,
                                       const std::vector<uint64_t>& addresses,
                                       const EncodeTensorMap& encode) {
  const auto& specs = arguments.specs;
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
    } else if (const auto* map = std::get_if<sheet::TensorMapSpec>(&specs[i])) {
      // Of a file no sheet knows how much there is.
      if (const uint64_t has = arguments.buffers[map->argument].bytes; map->bytes() > has) {
        throw sheet::SheetError(
            fmt::format("Argument {}: its tensor takes {} bytes of argument {}, which has {}.", i,
                        map->bytes(), map->argument, model::grouped(static_cast<long long>(has))));
      }
      const std::string wrong = encode(tensor_map_of(*map, addresses[map->argument]), to);
      if (!wrong.empty()) {
        throw sheet::SheetError(
            fmt::format("Argument {}: the tensor map cannot be: {}.", i, wrong));
      }
    } else {
      std::memcpy(to, &addresses[i], sizeof(uint64_t));
    }
  }
  return block;
}

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
  s.required_cluster = extent_of(entry.required_cluster);
  s.most_cluster = entry.most_cluster;
  s.explicit_cluster = entry.explicit_cluster;
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
  all.sums_of = request.sums_of;
  all.entry = sheet.entry;
  const emulator::EntryInfo* entry = all.program->find(sheet.entry);
  if (!entry) fail(kUsage, "The PTX has no kernel " + sheet.entry + ".");
  const SheetArguments arguments = open_arguments(*entry, request);
  allocate(request, arguments, all);
  all.launch.grid = dim3_of(*sheet.grid);
  all.launch.block = dim3_of(*sheet.block);
  all.launch.dynamic_shared_bytes = sheet.shared;
  if (sheet.cluster) all.launch.cluster = dim3_of(*sheet.cluster);
  all.launch.parameters = parameter_block(*entry, arguments, all.arguments, encode_for_emulator);
  return all;
} catch (const sheet::SheetError& error) {
  fail(kUsage, error.what());
}

}  // namespace tilescope::worker
