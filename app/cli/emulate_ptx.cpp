#include "app/cli/emulate_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "app/cli/ask.h"
#include "app/cli/cli_error.h"
#include "app/cli/counted_json.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "app/cli/worker_session.h"
#include "core/model/format.h"
#include "worker/messages/messages_run.h"

namespace tilescope::cli {
namespace {

constexpr int kMaxHostThreads = 1024;

using Ctas = std::optional<std::pair<uint64_t, uint64_t>>;

/// "0..3", both ends included, or one index; CTAs in order of x, then y, then z.
Ctas read_ctas(const std::string& text, emulator::Dim3 grid) {
  if (text.empty()) return {};
  const long long all = 1LL * grid.x * grid.y * grid.z;
  const size_t dots = text.find("..");
  const long long first = parse_integer("--ctas", text.substr(0, dots));
  const long long last =
      dots == std::string::npos ? first : parse_integer("--ctas", text.substr(dots + 2));
  if (first < 0 || last < first || last >= all) {
    throw CliError(kBadUsage, fmt::format("--ctas: {} lies outside of the grid's 0..{}", text,
                                          model::grouped(all - 1)));
  }
  return Ctas({static_cast<uint64_t>(first), static_cast<uint64_t>(last)});
}

std::string finding_text(const Json& f) {
  const auto count = f.at("count").get<long long>();
  return (f.at("remark").get<bool>() ? "remark: " : "") + f.at("message").get<std::string>() +
         (count > 1 ? fmt::format(" ({} times)", model::grouped(count)) : "");
}

[[noreturn]] void fail_with(const Json& document, bool json) {
  const auto sentence = document.at("message").get<std::string>();
  nlohmann::ordered_json details = {{"fault", document.at("fault")}};
  if (const auto findings = document.find("findings"); findings != document.end()) {
    details["findings"] = *findings;
    for (const Json& other : *findings) {
      if (!json && other.at("message") != sentence) {
        message("tilescope-cli: " + finding_text(other));
      }
    }
  }
  throw CliError(kFailed, sentence, details);
}

Json result_json(const worker::RunAnswer& answer, int threads) {
  const worker::CountedTraffic& c = answer.counted;
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
      {"seconds", answer.seconds},
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
  int buffer = 0;  // in order of allocation
  uint64_t bytes = 0;
  std::string file;
};

std::vector<Dump> read_dumps(const std::vector<std::string>& texts, const PtxLaunch& ptx) {
  const std::vector<PtxArgument>& arguments = ptx.arguments;
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
    dumps.push_back({ptx.memory.locate(buffer).buffer, ptx.memory.bytes(buffer).size(),
                     text.substr(equals + 1)});
  }
  return dumps;
}

void write_dump(const Dump& dump, SharedFile& dumped) {
  std::ofstream out(dump.file, std::ios::binary);
  dumped.copy_to(out, dump.bytes);
  out.close();
  if (!out) {
    throw CliError(kBadUsage,
                   fmt::format("--dump: cannot write {}: {}", dump.file, std::strerror(errno)));
  }
}

void print_result(const worker::RunAnswer& answer) {
  const worker::CountedTraffic& c = answer.counted;
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
                    n(c.shared_load.wavefronts - c.shared_load.ideal)));
  print(fmt::format("shared stores  {} requests, {} wavefronts, {} conflicts",
                    n(c.shared_store.requests), n(c.shared_store.wavefronts),
                    n(c.shared_store.wavefronts - c.shared_store.ideal)));
  print(fmt::format("{:.3f} s", answer.seconds));
}

/// Throws (exit code 2) for what no run could answer.
worker::OriginQuestion read_question(const std::string& spec, const PtxLaunch& ptx) {
  const Ask ask = parse_ask(spec);
  if (ask.of == Ask::Of::element) {
    throw CliError(kBadUsage,
                   "--ask: C[ROW,COL] belongs to --kernel ID; of --ptx FILE ask a "
                   "register (w0.l0.%f1) or shared memory (s+0)");
  }
  if (ask.of == Ask::Of::register_) {
    const auto all = ptx.program->instructions(ptx.entry.name);
    const bool known = std::any_of(all.begin(), all.end(), [&](const emulator::Instruction& in) {
      return std::any_of(in.operands.begin(), in.operands.end(), [&](const auto& names) {
        return std::find(names.begin(), names.end(), ask.name) != names.end();
      });
    });
    if (!known) {
      throw CliError(kBadUsage, fmt::format("--ask: {} has no register {}; the PTX names them",
                                            ptx.entry.name, ask.name));
    }
  }
  return question_of(ask);
}

struct Ran {
  worker::RunAnswer answer;
  Json document;
};

/// In a process of its own: a kernel that takes all memory, or a fault of the emulator, ends that.
Ran run_in_worker(const worker::RunRequest& request, const PtxOptions& o) {
  WorkerSession worker(std::string{});
  auto answer = worker.call<worker::calls::Run>({request, bounds_of(o).max_memory});
  // What the kernel printed.
  std::fwrite(answer.output.data(), 1, answer.output.size(), stderr);
  return {std::move(answer.answer), Json::parse(answer.document)};
}

}  // namespace

int run_ptx(const PtxOptions& o, bool json) {
  const PtxLaunch ptx = read_launch(o);
  const std::vector<Dump> dumps = read_dumps(o.dumps, ptx);
  worker::RunRequest request;
  for (const std::string& spec : o.asks) request.asks.push_back(read_question(spec, ptx));
  request.max_lane_instructions = max_lane_instructions(o);
  request.ctas = read_ctas(o.ctas, ptx.launch.grid);
  request.threads = o.threads.empty()
                        ? std::max(1, static_cast<int>(std::thread::hardware_concurrency()))
                        : parse_integer("--threads", o.threads, 1, kMaxHostThreads);
  request.check = o.check;
  if (o.provenance) {
    request.provenance =
        json ? worker::RunRequest::Provenance::json : worker::RunRequest::Provenance::text;
  }
  request.argument_of = argument_of(ptx.arguments);
  const SharedContents contents(ptx);
  request.launch = launch_request(ptx, contents);
  SharedFile dumped;
  request.dumped = dumped.path();
  for (const Dump& dump : dumps) request.dumps.push_back(dump.buffer);

  const auto [answer, document] = run_in_worker(request, o);
  if (document.contains("fault")) fail_with(document, json);
  for (const Dump& dump : dumps) write_dump(dump, dumped);
  if (json) {
    Json j = result_json(answer, request.threads);
    if (o.check) j["findings"] = document.at("findings");
    if (o.provenance) j["provenance"] = document.at("provenance");
    if (!answer.answers.empty()) j["answers"] = answer.answers;
    print_json(j);
    return kOk;
  }
  print_result(answer);
  if (o.check) {
    for (const Json& f : document.at("findings")) print(finding_text(f));
  }
  for (const std::string& text : answer.answers) print(text);
  if (o.provenance) {
    for (const Json& line : document.at("provenance")) print(line.get<std::string>());
  }
  return kOk;
}

}  // namespace tilescope::cli
