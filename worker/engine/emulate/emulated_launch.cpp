#include "worker/engine/emulate/emulated_launch.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>

#include "emulator/arithmetic.h"
#include "worker/engine/emulate/memory_limit.h"
#include "worker/engine/emulate/sheet_launch.h"
#include "worker/engine/error.h"

namespace tilescope::worker {

namespace {

/// The programs that were read last: a trace, a run and a step of one text follow each other.
class ReadPrograms {
 public:
  std::shared_ptr<const emulator::Program> find(std::string_view ptx,
                                                emulator::Registers registers) {
    const std::lock_guard lock(mutex_);
    for (const Read& read : read_) {
      if (read.program && read.registers == registers && read.ptx == ptx) return read.program;
    }
    return nullptr;
  }
  void keep(std::string_view ptx, emulator::Registers registers,
            std::shared_ptr<const emulator::Program> program) {
    const std::lock_guard lock(mutex_);
    read_[next_] = {std::string(ptx), registers, std::move(program)};
    next_ = (next_ + 1) % read_.size();
  }

 private:
  struct Read {
    std::string ptx;
    emulator::Registers registers = emulator::Registers::packed;
    std::shared_ptr<const emulator::Program> program;
  };
  std::mutex mutex_;
  std::array<Read, 4> read_;
  size_t next_ = 0;
};

}  // namespace

std::shared_ptr<const emulator::Program> parse_program(std::string_view ptx,
                                                       emulator::Registers registers) {
  static ReadPrograms known;
  if (auto program = known.find(ptx, registers)) return program;
  auto parsed = emulator::Program::parse(ptx, registers);
  if (auto* program = std::get_if<0>(&parsed)) {
    known.keep(ptx, registers, *program);
    return *program;
  }
  const auto& errors = std::get<1>(parsed);
  nlohmann::json list = nlohmann::json::array();
  for (const emulator::ParseError& error : errors) {
    if (list.size() < 100)
      list.push_back({{"ptx_line", error.ptx_line}, {"message", error.message}});
  }
  fail(kFailed, errors.empty() ? "The PTX could not be read." : errors.front().message,
       {{"errors", std::move(list)}});
}

static_assert(kSumsWhereProven == emulator::kSumsWhereProven);

emulator::RunResult EmulatedLaunch::run(emulator::RunOptions options) {
  // A run that was cut short leaves it as it was then.
  if (workspace != 0) memory.zero(workspace);
  options.resident = resident;
  options.sums_of = sums_of;
  return emulator::run(*program, entry, launch, memory, options);
}

std::string EmulatedLaunch::arithmetic() const {
  return words_of(emulator::product_sums(*program, entry, sums_of));
}

std::string source_name(const LaunchRequest& request) {
  return std::filesystem::path(request.source).filename().string();
}

EmulatedLaunch prepare_launch(const LaunchRequest& request, emulator::Registers registers) {
  if (request.sheet) return prepare_sheet(request, registers);
  EmulatedLaunch all;
  all.program = parse_program(request.ptx, registers);
  all.sums_of = request.sums_of;
  all.entry = request.entry;
  const emulator::EntryInfo* entry = all.program->find(request.entry);
  if (!entry) fail(kUsage, "The PTX has no kernel " + request.entry + ".");
  if (entry->parameter_bytes != request.parameters.size()) {
    fail(kUsage, request.entry + " takes " + std::to_string(entry->parameter_bytes) +
                     " bytes of parameters; the launch gives " +
                     std::to_string(request.parameters.size()) + ".");
  }
  uint64_t bytes = 0;
  for (const LaunchBuffer& buffer : request.buffers) bytes += buffer.bytes;
  require_memory(bytes, "the buffers", "smaller ones");
  std::ifstream contents;
  if (!request.contents.empty()) contents.open(request.contents, std::ios::binary);
  for (const LaunchBuffer& buffer : request.buffers) {
    const uint64_t at = all.memory.allocate(buffer.name, buffer.bytes, buffer.read_only);
    all.buffers.push_back(at);
    if (!buffer.given) {
      all.memory.expect_written_first(at);
      continue;
    }
    const std::span<std::byte> to = all.memory.bytes(at);
    contents.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    if (!contents) {
      fail(kUsage, "What " + buffer.name + " holds cannot be read from " + request.contents + ".");
    }
  }
  all.launch.grid = {request.grid.x, request.grid.y, request.grid.z};
  all.launch.block = {request.block.x, request.block.y, request.block.z};
  all.launch.dynamic_shared_bytes = request.shared_bytes;
  all.launch.parameters = request.parameters;
  all.launch.cluster = {request.cluster.x, request.cluster.y, request.cluster.z};
  return all;
}

}  // namespace tilescope::worker
