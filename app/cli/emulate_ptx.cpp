#include "app/cli/emulate_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "app/cli/ask.h"
#include "app/cli/cli_error.h"
#include "app/cli/counted_json.h"
#include "app/cli/output.h"
#include "app/cli/own_origin.h"
#include "app/cli/parse.h"
#include "app/cli/shared_file.h"
#include "app/cli/worker_session.h"
#include "core/model/format.h"
#include "emulator/emulator.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_origin.h"
#include "worker/messages/messages_run.h"
#include "worker/messages/verification.h"

namespace tilescope::cli {
namespace {

constexpr int kMaxHostThreads = 1024;

using Ctas = std::optional<std::pair<uint64_t, uint64_t>>;

/// "0..3", both ends included, or one index; CTAs in order of x, then y, then z.
Ctas read_ctas(const std::string& text, const sheet::Extent& grid) {
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
  auto sentence = document.at("message").get<std::string>();
  nlohmann::ordered_json details = {{"fault", document.at("fault")}};
  if (const auto findings = document.find("findings"); findings != document.end()) {
    details["findings"] = *findings;
    for (const Json& other : *findings) {
      if (!json && other.at("message") != sentence) {
        message("tilescope-cli: " + finding_text(other));
      }
    }
  }
  if (document.at("fault").at("kind") == "limit") {
    sentence += " --max-instructions N lets it go on for longer (0: without end).";
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

struct Dump {
  int buffer = 0;  // in order of allocation
  std::string file;
};

std::vector<Dump> read_dumps(const std::vector<std::string>& texts, const OwnLaunch& own) {
  const std::vector<int> buffers = buffer_arguments(own);
  std::vector<Dump> dumps;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw CliError(kBadUsage, fmt::format("--dump: '{}' is not INDEX=FILE", text));
    }
    const int index = parse_integer("--dump", text.substr(0, equals), 0,
                                    static_cast<long long>(own.specs.size()) - 1);
    const auto buffer = std::find(buffers.begin(), buffers.end(), index);
    if (buffer == buffers.end()) {
      throw CliError(kBadUsage, fmt::format("--dump: argument {} is a value, not a buffer", index));
    }
    dumps.push_back({static_cast<int>(buffer - buffers.begin()), text.substr(equals + 1)});
  }
  return dumps;
}

void write_dump(const Dump& dump, uint64_t bytes, SharedFile& dumped) {
  std::ofstream out(dump.file, std::ios::binary);
  dumped.copy_to(out, bytes);
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
  for (const auto& [name, bulk] :
       {std::pair{"bulk loads  ", &c.bulk_load}, {"bulk stores ", &c.bulk_store}}) {
    if (bulk->requests == 0) continue;
    print(fmt::format("{}   {} requests, {} sectors, {} B", name, n(bulk->requests),
                      n(bulk->sectors), n(bulk->bytes)));
  }
  print(fmt::format("shared loads   {} requests, {} wavefronts, {} conflicts",
                    n(c.shared_load.requests), n(c.shared_load.wavefronts),
                    n(c.shared_load.wavefronts - c.shared_load.ideal)));
  print(fmt::format("shared stores  {} requests, {} wavefronts, {} conflicts",
                    n(c.shared_store.requests), n(c.shared_store.wavefronts),
                    n(c.shared_store.wavefronts - c.shared_store.ideal)));
  if (c.shared_product.requests > 0) {
    print(fmt::format("by products    {} requests, {} wavefronts", n(c.shared_product.requests),
                      n(c.shared_product.wavefronts)));
  }
  if (!answer.arithmetic.empty()) print(answer.arithmetic);
  print(fmt::format("{:.3f} s", answer.seconds));
}

/// Throws (exit code 2) for what no run could answer.
worker::OriginQuestion read_question(const Ask& ask, const OwnLaunch& own) {
  if (ask.of == Ask::Of::register_) {
    const std::string& entry = own.signature().entry;
    const auto parsed = emulator::Program::parse(own.opened.ptx);  // as the worker did
    const auto all = std::get<0>(parsed)->instructions(entry);
    const bool known = std::any_of(all.begin(), all.end(), [&](const emulator::Instruction& in) {
      return std::any_of(in.operands.begin(), in.operands.end(), [&](const auto& names) {
        return std::find(names.begin(), names.end(), ask.name) != names.end();
      });
    });
    if (!known) {
      throw CliError(kBadUsage, fmt::format("--ask: {} has no register {}; the PTX names them",
                                            entry, ask.name));
    }
  }
  return question_of(ask);
}

struct Ran {
  worker::RunAnswer answer;
  Json document;
};

/// In a process of its own: a kernel that takes all memory, or a fault of the emulator, ends that.
Ran run_in_worker(WorkerSession& worker, const worker::RunRequest& request, const PtxOptions& o) {
  auto answer = worker.call<worker::calls::Run>({request, bounds_of(o).max_memory});
  // What the kernel printed.
  std::fwrite(answer.output.data(), 1, answer.output.size(), stderr);
  return {std::move(answer.answer), Json::parse(answer.document)};
}

worker::RunRequest run_request(const PtxOptions& o, const OwnLaunch& own, bool json) {
  worker::RunRequest request;
  for (const std::string& spec : o.asks) {
    const Ask ask = parse_ask(spec);
    if (ask.of != Ask::Of::element) request.asks.push_back(read_question(ask, own));
  }
  request.max_lane_instructions = max_lane_instructions(o);
  request.ctas = read_ctas(o.ctas, *own.sheet.grid);
  request.threads = o.threads.empty()
                        ? std::max(1, static_cast<int>(std::thread::hardware_concurrency()))
                        : parse_integer("--threads", o.threads, 1, kMaxHostThreads);
  request.check = o.check;
  if (o.provenance) {
    request.provenance =
        json ? worker::RunRequest::Provenance::json : worker::RunRequest::Provenance::text;
  }
  request.argument_of = buffer_arguments(own);
  add_launch(own, request);
  return request;
}

/// Those questions that are after elements of C. Throws (exit code 2) where nobody says what C is.
std::vector<Ask> asked_elements(const PtxOptions& o, const OwnLaunch& own) {
  std::vector<Ask> elements;
  for (const std::string& spec : o.asks) {
    Ask ask = parse_ask(spec);
    if (ask.of == Ask::Of::element) elements.push_back(std::move(ask));
  }
  if (!elements.empty() && !own.sheet.gemm) {
    throw CliError(kBadUsage,
                   "--ask: C[ROW,COL] belongs to --kernel ID, to --gemm, or to a sheet with gemm; "
                   "else ask a register (w0.l0.%f1) or shared memory (s+0)");
  }
  return elements;
}

/// 1 if C, or what else is expected, is wrong.
int told_verdict(const worker::RunAnswer& answer) {
  if (answer.right()) return kOk;
  if (answer.gemm && !answer.gemm->verified.ok) {
    message("tilescope-cli: wrong result: " + verdict_text(*answer.gemm));
  }
  for (const worker::BufferVerdict& v : answer.expected) {
    if (!v.ok) message("tilescope-cli: wrong result: " + verdict_text(v));
  }
  return kCheckFailed;
}

}  // namespace

std::string verdict_text(const worker::GemmVerdict& v) {
  const worker::Verification& c = v.verified;
  const auto n = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  std::string text = fmt::format("{} of {} elements of C are right, {}, tolerance {:.2e}",
                                 n(v.right), n(c.of), worker::error_words(c), c.tolerance);
  if (c.first_row >= 0 && c.none.count() == 0) {
    text += fmt::format("; the first wrong one is C[{}, {}]: {:.7g}, and {:.7g} would be right",
                        c.first_row, c.first_col, v.found, v.expected);
  }
  if (!v.layout.empty()) {
    text += fmt::format("; it is right for --layout {}", v.layout);
  }
  return text;
}

Json verdict_json(const worker::GemmVerdict& v) {
  Json json = verified_json(v.verified);
  json["right"] = v.right;
  if (v.verified.ok) return json;
  json["first"] = nullptr;
  if (v.verified.first_row >= 0) {
    json["first"] = {{"row", v.verified.first_row}, {"col", v.verified.first_col}};
    json["first"]["found"] = std::isfinite(v.found) ? Json(v.found) : Json();
    json["first"]["expected"] = std::isfinite(v.expected) ? Json(v.expected) : Json();
  }
  json["layout"] = v.layout.empty() ? Json() : Json(v.layout);
  return json;
}

std::string verdict_text(const worker::BufferVerdict& v) {
  const auto n = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  const std::string room =
      v.tolerance > 0 ? fmt::format("within {:.1e} (the worst is {:.1e} off)", v.tolerance, v.worst)
                      : std::string("exactly");
  const std::string number = fmt::format("argument {}", v.argument);
  const std::string name = v.name == number ? number : fmt::format("{} ({})", v.name, number);
  if (v.ok) {
    return fmt::format("{} is as {} has it: {} elements, {}", name, v.against, n(v.elements), room);
  }
  return fmt::format(
      "{} of {} elements of {} are not as {} has them, {}; the first is [{}, {}]: {:.7g}, and "
      "{:.7g} is expected",
      n(v.wrong), n(v.elements), name, v.against, room, n(v.row), n(v.col), v.found, v.expected);
}

Json expected_json(const std::vector<worker::BufferVerdict>& expected) {
  Json all = Json::array();
  for (const worker::BufferVerdict& v : expected) {
    Json one = {{"argument", v.argument}, {"name", v.name},
                {"against", v.against},   {"ok", v.ok},
                {"elements", v.elements}, {"wrong", v.wrong},
                {"worst", v.worst},       {"tolerance", v.tolerance}};
    if (!v.ok) {
      one["first"] = {{"row", v.row}, {"col", v.col}};
      one["first"]["found"] = std::isfinite(v.found) ? Json(v.found) : Json();
      one["first"]["expected"] = std::isfinite(v.expected) ? Json(v.expected) : Json();
    }
    all.push_back(std::move(one));
  }
  return all;
}

void print_right(const worker::RunAnswer& answer) {
  if (answer.gemm && answer.gemm->verified.ok) print("right: " + verdict_text(*answer.gemm));
  for (const worker::BufferVerdict& v : answer.expected) {
    if (v.ok) print("right: " + verdict_text(v));
  }
}

int run_ptx(const PtxOptions& o, const RequestOptions& problem, int sums_of, bool json) {
  WorkerSession worker(std::string{});
  const OwnLaunch own = read_own(o, problem, worker);
  const std::vector<Dump> dumps = read_dumps(o.dumps, own);
  worker::RunRequest request = run_request(o, own, json);
  request.launch.sums_of = sums_of;
  const std::vector<Ask> elements = asked_elements(o, own);
  std::optional<SharedFile> dumped;
  if (!dumps.empty()) request.dumped = dumped.emplace().path();
  for (const Dump& dump : dumps) request.dumps.push_back(dump.buffer);

  const auto [answer, document] = run_in_worker(worker, request, o);
  if (document.contains("fault")) fail_with(document, json);
  const std::vector<worker::OriginResult> origins = element_origins(
      o, own, elements,
      request.ctas ? std::optional(request.ctas->first) : std::optional<uint64_t>(), worker);
  for (size_t i = 0; i < dumps.size(); ++i) write_dump(dumps[i], answer.dumped.at(i), *dumped);
  if (json) {
    Json j = result_json(answer, request.threads);
    j["arithmetic"] = answer.arithmetic.empty() ? Json() : Json(answer.arithmetic);
    if (own.opened.kind == "cu") {
      j["kernel"] = own.name();
      j["compiler"] = own.opened.compiler;
    }
    if (answer.gemm) j["verified"] = verdict_json(*answer.gemm);
    if (!answer.expected.empty()) j["expected"] = expected_json(answer.expected);
    if (o.check) j["findings"] = document.at("findings");
    if (o.provenance) j["provenance"] = document.at("provenance");
    if (!answer.answers.empty()) j["answers"] = answer.answers;
    for (const worker::OriginResult& origin : origins) {
      j["origins"].push_back(Json(nlohmann::json(origin)));
    }
    print_json(j);
    return told_verdict(answer);
  }
  if (own.opened.kind == "cu") {
    print(fmt::format("{}, {}, grid {}×{}×{}, block {}×{}×{}", own.name(), own.opened.compiler,
                      own.sheet.grid->x, own.sheet.grid->y, own.sheet.grid->z, own.sheet.block->x,
                      own.sheet.block->y, own.sheet.block->z));
  }
  print_right(answer);
  print_result(answer);
  if (o.check) {
    for (const Json& f : document.at("findings")) print(finding_text(f));
  }
  for (const std::string& text : answer.answers) print(text);
  for (const worker::OriginResult& origin : origins) print_origin(origin);
  if (o.provenance) {
    for (const Json& line : document.at("provenance")) print(line.get<std::string>());
  }
  return told_verdict(answer);
}

}  // namespace tilescope::cli
