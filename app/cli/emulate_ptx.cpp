#include "app/cli/emulate_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "app/cli/ask.h"
#include "app/cli/counted_json.h"
#include "app/cli/error.h"
#include "app/cli/findings_json.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "core/model/format.h"
#include "emulator/emulator.h"
#include "emulator/provenance.h"
#include "worker/messages/provenance_json.h"

namespace tilescope::cli {
namespace {

using emulator::Dim3;

constexpr int kMaxHostThreads = 1024;

/// "0..3", both ends included, or one index; CTAs in order of x, then y, then z.
std::vector<Dim3> read_ctas(const std::string& text, Dim3 grid) {
  std::vector<Dim3> ctas;
  if (text.empty()) return ctas;
  const long long all = 1LL * grid.x * grid.y * grid.z;
  const size_t dots = text.find("..");
  const long long first = parse_integer("--ctas", text.substr(0, dots));
  const long long last =
      dots == std::string::npos ? first : parse_integer("--ctas", text.substr(dots + 2));
  if (first < 0 || last < first || last >= all) {
    throw CliError(kBadUsage, fmt::format("--ctas: {} lies outside of the grid's 0..{}", text,
                                          model::grouped(all - 1)));
  }
  for (long long i = first; i <= last; ++i) {
    ctas.push_back({static_cast<uint32_t>(i % grid.x), static_cast<uint32_t>(i / grid.x % grid.y),
                    static_cast<uint32_t>(i / grid.x / grid.y)});
  }
  return ctas;
}

std::string finding_text(const emulator::Finding& f) {
  return (f.remark ? "remark: " : "") + f.fault.message +
         (f.count > 1 ? fmt::format(" ({} times)", model::grouped(static_cast<long long>(f.count)))
                      : "");
}

[[noreturn]] void fail_with(const emulator::RunResult& result, bool checked, bool json) {
  const emulator::Fault& f = *result.fault;
  nlohmann::ordered_json details = {{"fault", fault_json(f)}};
  if (checked) details["findings"] = findings_json(result.findings);
  if (!json) {
    for (const emulator::Finding& other : result.findings) {
      if (other.fault.message != f.message) message("tilescope-cli: " + finding_text(other));
    }
  }
  throw CliError(kFailed, f.message, details);
}

Json result_json(const emulator::RunResult& result, int threads) {
  const emulator::Counts& c = result.counts;
  return {
      {"status", "ok"},
      {"ctas", c.ctas},
      {"warp_instructions", c.warp_instructions},
      {"lane_instructions", c.lane_instructions},
      {"by_opcode", c.by_opcode},
      {"global", global_json(c)},
      {"shared", shared_json(c)},
      {"mma", c.mma},
      {"barriers", c.barriers},
      {"polls", c.polls},
      {"threads", threads},
      {"seconds", result.seconds},
  };
}

/// By buffer, in order of allocation: the argument that it is.
std::vector<int> argument_of(const std::vector<PtxArgument>& arguments) {
  std::vector<int> indices;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].buffer) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

struct Dump {
  uint64_t buffer = 0;
  std::string file;
};

std::vector<Dump> read_dumps(const std::vector<std::string>& texts,
                             const std::vector<PtxArgument>& arguments) {
  std::vector<Dump> dumps;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw CliError(kBadUsage, fmt::format("--dump: '{}' is not INDEX=FILE", text));
    }
    const int index = parse_integer("--dump", text.substr(0, equals), 0,
                                    static_cast<long long>(arguments.size()) - 1);
    const uint64_t buffer = arguments[static_cast<size_t>(index)].buffer;
    if (buffer == 0) {
      throw CliError(kBadUsage, fmt::format("--dump: argument {} is a value, not a buffer", index));
    }
    dumps.push_back({buffer, text.substr(equals + 1)});
  }
  return dumps;
}

void write_dump(const Dump& dump, const emulator::Memory& memory) {
  const auto bytes = memory.bytes(dump.buffer);
  std::ofstream out(dump.file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    throw CliError(kBadUsage,
                   fmt::format("--dump: cannot write {}: {}", dump.file, std::strerror(errno)));
  }
}

void print_result(const emulator::RunResult& result) {
  const emulator::Counts& c = result.counts;
  const auto n = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  print(fmt::format("{} CTAs, {} warp instructions, {} lane instructions, {} mma, {} barriers",
                    n(c.ctas), n(c.warp_instructions), n(c.lane_instructions), n(c.mma),
                    n(c.barriers)));
  print(fmt::format("global loads   {} requests, {} sectors, {} B", n(c.global_load.requests),
                    n(c.global_load.sectors), n(c.global_load.bytes)));
  print(fmt::format("global stores  {} requests, {} sectors, {} B", n(c.global_store.requests),
                    n(c.global_store.sectors), n(c.global_store.bytes)));
  print(fmt::format("shared loads   {} requests, {} wavefronts, {} conflicts",
                    n(c.shared_load.requests), n(c.shared_load.wavefronts),
                    n(c.shared_load.conflicts())));
  print(fmt::format("shared stores  {} requests, {} wavefronts, {} conflicts",
                    n(c.shared_store.requests), n(c.shared_store.wavefronts),
                    n(c.shared_store.conflicts())));
  print(fmt::format("{:.3f} s", result.seconds));
}

/// A value of the first CTA that runs, at the end or at a moment; each question is a run of its own
/// on fresh buffers.
std::string answer(const PtxOptions& o, const Ask& ask, const emulator::Program& program,
                   const emulator::EntryInfo& entry, const emulator::Launch& launch, Dim3 cta) {
  if (ask.of == Ask::Of::element) {
    throw CliError(kBadUsage,
                   "--ask: C[ROW,COL] belongs to --kernel ID; of --ptx FILE ask a "
                   "register (w0.l0.%f1) or shared memory (s+0)");
  }
  if (ask.of == Ask::Of::register_) {
    const auto all = program.instructions(entry.name);
    const bool known = std::any_of(all.begin(), all.end(), [&](const emulator::Instruction& in) {
      return std::any_of(in.operands.begin(), in.operands.end(), [&](const auto& names) {
        return std::find(names.begin(), names.end(), ask.name) != names.end();
      });
    });
    if (!known) {
      throw CliError(kBadUsage, fmt::format("--ask: {} has no register {}; the PTX names them",
                                            entry.name, ask.name));
    }
  }
  const auto fresh = [&](emulator::Memory& memory) {
    for (size_t i = 0; i < o.args.size(); ++i) read_argument(o.args[i], i, memory);
  };
  emulator::Provenance::Options following;
  following.ctas = {cta};
  if (ask.ptx_line > 0) {
    emulator::Memory memory;
    fresh(memory);
    following.until =
        emulator::Provenance::find_moment(program, entry.name, launch, memory, cta,
                                          static_cast<uint32_t>(ask.warp), ask.ptx_line, ask.times);
    if (!following.until) {
      throw CliError(kBadUsage,
                     fmt::format("--ask: PTX line {} is no load, store, copy, barrier, fma or mma "
                                 "that warp {} runs {} times",
                                 ask.ptx_line, ask.warp, ask.times));
    }
  }
  emulator::Memory memory;
  fresh(memory);
  emulator::Provenance provenance(following);
  emulator::RunOptions options;
  options.ctas = {cta};
  options.provenance = &provenance;
  emulator::run(program, entry.name, launch, memory, options);
  if (ask.of == Ask::Of::shared) {
    return fmt::format(
        "shared byte {} = {}", ask.offset,
        emulator::to_text(provenance.of_shared(cta, ask.offset, static_cast<uint32_t>(ask.bytes)),
                          memory));
  }
  const emulator::Value value = provenance.of_register(
      cta, static_cast<uint32_t>(ask.warp), static_cast<uint32_t>(ask.lane), ask.name, ask.half);
  return fmt::format("{} in lane {} of warp {} = {}", ask.name, ask.lane, ask.warp,
                     emulator::to_text(value, memory));
}

}  // namespace

int run_ptx(const PtxOptions& o, bool json) {
  PtxLaunch ptx = read_launch(o);
  const emulator::EntryInfo& entry = ptx.entry;
  const std::vector<PtxArgument>& arguments = ptx.arguments;
  emulator::Memory& memory = ptx.memory;
  const std::vector<Dump> dumps = read_dumps(o.dumps, arguments);
  std::vector<Ask> asks;
  for (const std::string& spec : o.asks) asks.push_back(parse_ask(spec));

  emulator::RunOptions options;
  options.max_warp_instructions = (max_lane_instructions(o) + 31) / 32;
  options.ctas = read_ctas(o.ctas, ptx.launch.grid);
  options.threads = o.threads.empty()
                        ? std::max(1, static_cast<int>(std::thread::hardware_concurrency()))
                        : parse_integer("--threads", o.threads, 1, kMaxHostThreads);
  options.check = o.check;
  emulator::Provenance provenance;
  if (o.provenance) options.provenance = &provenance;
  const emulator::RunResult result =
      emulator::run(*ptx.program, entry.name, ptx.launch, memory, options);
  std::fwrite(result.output.data(), 1, result.output.size(), stderr);  // what the kernel printed
  if (result.fault) fail_with(result, o.check, json);
  for (const Dump& dump : dumps) write_dump(dump, memory);
  std::vector<std::string> answers;
  const Dim3 first = options.ctas.empty() ? Dim3{0, 0, 0} : options.ctas.front();
  for (const Ask& ask : asks)
    answers.push_back(answer(o, ask, *ptx.program, entry, ptx.launch, first));
  if (json) {
    Json j = result_json(result, options.threads);
    if (o.check) j["findings"] = findings_json(result.findings);
    if (o.provenance) j["provenance"] = worker::provenance_json(provenance, argument_of(arguments));
    if (!answers.empty()) j["answers"] = answers;
    print_json(j);
    return kOk;
  }
  print_result(result);
  for (const emulator::Finding& f : result.findings) print(finding_text(f));
  for (const std::string& text : answers) print(text);
  if (o.provenance) {
    for (const emulator::Stored& s : provenance.stored()) {
      print(fmt::format("{}+{}, {} x {} B = {}", memory.name(s.first.buffer), s.first.offset,
                        s.count, s.bytes, emulator::to_text(s.value, memory)));
    }
  }
  return kOk;
}

}  // namespace tilescope::cli
