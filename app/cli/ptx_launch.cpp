#include "app/cli/ptx_launch.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/cli/cli_error.h"
#include "app/cli/help.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "core/model/format.h"

namespace tilescope::cli {
namespace {

constexpr int kMaxThreads = 1024, kMaxShared = 232448;

std::shared_ptr<const emulator::Program> parse_program(const std::string& file,
                                                       const std::string& text) {
  auto parsed = emulator::Program::parse(text);
  if (auto* program = std::get_if<std::shared_ptr<const emulator::Program>>(&parsed)) {
    return *program;
  }
  const auto& errors = std::get<std::vector<emulator::ParseError>>(parsed);
  Json list = Json::array();
  for (const emulator::ParseError& e : errors) {
    list.push_back({{"ptx_line", e.ptx_line}, {"message", e.message}});
  }
  std::string first = errors.empty() ? "not a PTX module" : errors[0].message;
  if (!errors.empty() && first.find("line") == std::string::npos) {
    first = fmt::format("line {}: {}", errors[0].ptx_line, first);
  }
  throw CliError(kFailed, fmt::format("{}: {}", file, first), {{"errors", list}});
}

const emulator::EntryInfo& entry_named(const std::vector<emulator::EntryInfo>& entries,
                                       const std::string& name) {
  std::string names;
  for (const emulator::EntryInfo& entry : entries) {
    if (entry.name == name || (name.empty() && entries.size() == 1)) return entry;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  throw CliError(kBadUsage, fmt::format("--entry: there is no '{}'; the file has {}", name,
                                        names.empty() ? "no entry" : names));
}

[[noreturn]] void fail_to_share() {
  throw CliError(kFailed, fmt::format("no memory to hand the buffers to the worker: {}; give "
                                      "smaller ones",
                                      std::strerror(errno)));
}

}  // namespace

void LaunchOptions::add_to(CLI::App& app) {
  app.add_option("--ptx", file, "the file; --kernel and its options are then left out")
      ->type_name("FILE")
      ->group(kPtxGroup);
  app.add_option("--entry", entry, "its kernel; may be left out if there is one")
      ->type_name("NAME")
      ->group(kPtxGroup);
  app.add_option("--grid", grid, "CTAs")->type_name("X,Y,Z")->group(kPtxGroup);
  app.add_option("--block", block, "threads of a CTA")->type_name("X,Y,Z")->group(kPtxGroup);
  app.add_option("--shared", shared, "of dynamic shared memory")
      ->type_name("BYTES")
      ->group(kPtxGroup);
  app.add_option("--arg", args,
                 "the kernel's parameters, in order, one SPEC for each. Numbers: i32:5 u32:5 i64:5 "
                 "u64:5 f16:1.5 f32:1.5 f64:1.5. Buffers: in:FILE (read-only), out:BYTES (filled "
                 "with zeros), inout:FILE. A struct by value: bytes:HEX,@INDEX,…, where @INDEX is "
                 "the address of that argument's buffer; a buffer that no parameter takes stands "
                 "behind the last one")
      ->type_name("SPEC")
      ->group(kPtxGroup)
      ->expected(-1);
  app.add_option("--max-instructions", max_instructions,
                 "of lanes, that a run may take (default 100000000000; 0: as many as it takes)")
      ->type_name("N")
      ->group(kPtxGroup);
  app.add_option("--max-memory", max_memory,
                 "that the emulator may take (default 2; 0: as much as it takes)")
      ->type_name("GB")
      ->group(kPtxGroup);
}

void LaunchOptions::refuse_without_file() const {
  const char* flag = !entry.empty() ? "--entry" : !args.empty() ? "--arg" : nullptr;
  if (flag) throw CliError(kBadUsage, fmt::format("{} belongs to --ptx FILE", flag));
}

uint64_t max_lane_instructions(const LaunchOptions& o) {
  if (o.max_instructions.empty()) return worker::kMostLaneInstructions;
  const long long number = parse_integer("--max-instructions", o.max_instructions);
  if (number < 0)
    throw CliError(kBadUsage, "--max-instructions: " + o.max_instructions + " is less than 0");
  return static_cast<uint64_t>(number);
}

worker::calls::Bounds bounds_of(const LaunchOptions& o) {
  worker::calls::Bounds bounds;
  bounds.max_lane_instructions = max_lane_instructions(o);
  if (o.max_memory.empty()) return bounds;
  const double gigabytes = parse_number("--max-memory", o.max_memory);
  constexpr double kMost = 1e6;
  if (!(gigabytes >= 0 && gigabytes <= kMost)) {
    throw CliError(kBadUsage, fmt::format("--max-memory: {} is not within 0 and {} GB",
                                          o.max_memory, model::grouped(1'000'000)));
  }
  bounds.max_memory = static_cast<uint64_t>(gigabytes * 1e9);
  return bounds;
}

PtxLaunch read_launch(const LaunchOptions& o) {
  PtxLaunch ptx;
  const std::vector<std::byte> bytes = read_file("--ptx", o.file);
  ptx.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ptx.program = parse_program(o.file, ptx.text);
  ptx.entry = entry_named(ptx.program->entries(), o.entry);
  const Triple grid = parse_triple("--grid", o.grid), block = parse_triple("--block", o.block);
  if (1LL * block.x * block.y * block.z > kMaxThreads) {
    throw CliError(kBadUsage, fmt::format("--block {}: {} threads; a block has at most {}", o.block,
                                          model::grouped(1LL * block.x * block.y * block.z),
                                          model::grouped(kMaxThreads)));
  }
  ptx.launch.grid = {grid.x, grid.y, grid.z};
  ptx.launch.block = {block.x, block.y, block.z};
  ptx.launch.dynamic_shared_bytes =
      static_cast<uint32_t>(parse_integer("--shared", o.shared, 0, kMaxShared));
  for (size_t i = 0; i < o.args.size(); ++i) {
    ptx.arguments.push_back(read_argument(o.args[i], i, ptx.memory));
  }
  ptx.launch.parameters = parameter_block(ptx.arguments, ptx.entry);
  return ptx;
}

SharedFile::SharedFile() : file_(memfd_create("tilescope-buffers", MFD_CLOEXEC)) {
  if (file_ < 0) fail_to_share();
}
SharedFile::~SharedFile() { close(file_); }
std::string SharedFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

void SharedFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_to_share();
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void SharedFile::copy_to(std::ostream& out, uint64_t bytes) {
  std::vector<char> piece(std::min<uint64_t>(bytes, 1u << 20));
  while (bytes > 0) {
    const ssize_t got = pread(file_, piece.data(), std::min<uint64_t>(bytes, piece.size()),
                              static_cast<off_t>(read_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw CliError(kFailed, "the worker did not hand back all of the buffers");
    out.write(piece.data(), got);
    read_ += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
}

SharedContents::SharedContents(const PtxLaunch& launch) {
  for (const PtxArgument& argument : launch.arguments) {
    if (argument.given) append(launch.memory.bytes(argument.buffer));
  }
}

worker::LaunchRequest launch_request(const PtxLaunch& launch, const SharedContents& contents) {
  const auto extent = [](emulator::Dim3 d) { return worker::LaunchRequest::Extent{d.x, d.y, d.z}; };
  worker::LaunchRequest request;
  request.ptx = launch.text;
  request.entry = launch.entry.name;
  request.grid = extent(launch.launch.grid);
  request.block = extent(launch.launch.block);
  request.shared_bytes = launch.launch.dynamic_shared_bytes;
  request.parameters = launch.launch.parameters;
  for (const PtxArgument& argument : launch.arguments) {
    if (argument.buffer == 0) continue;
    const int buffer = launch.memory.locate(argument.buffer).buffer;
    request.buffers.push_back({launch.memory.name(buffer),
                               launch.memory.bytes(argument.buffer).size(), argument.read_only,
                               argument.given});
  }
  request.contents = contents.path();
  return request;
}

}  // namespace tilescope::cli
