// A run: launch checks, host threads over CTAs, and what comes of it.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

#include "emulator/arithmetic.h"
#include "emulator/checks/remarks.h"
#include "emulator/run/work.h"
#include "emulator/run/writers.h"

namespace tilescope::emulator {
namespace {

#ifdef __EMSCRIPTEN__
constexpr uint64_t kMostThreads = 1;  // a page has no others
#else
constexpr uint64_t kMostThreads = 256;
#endif

constexpr uint64_t kMaxSharedBytes = 1u << 20;

void run_some_ctas(Work& work, Counters& counters) {
  if (work.state.waits) return run_in_turns(work, counters);
  if (work.state.cluster_ctas() > 1) return run_clusters(work, counters);
  CtaRunner runner(work.state);
  const RunOptions& options = *work.state.options;
  for (;;) {
    const uint64_t i = work.next.fetch_add(1);
    if (i >= work.count || i > work.stop_at.load()) return;
    const Dim3 cta = work.cta(i);
    const bool traced = options.trace && same(options.trace->cta, cta) && !work.trace;
    std::optional<Fault> fault;
    runner.begin(cta, traced, counters);
    runner.go_on(fault);
    const std::lock_guard lock(work.mutex);
    if (std::string text = runner.take_output(); !text.empty()) work.output[i] = std::move(text);
    if (traced) work.trace = runner.take_trace();
    if (work.state.check) work.reports.emplace(i, runner.take_report());
    if (fault) {  // the first CTA in order wins, whoever came first in time
      if (i < work.stop_at.load()) {
        work.stop_at = i;
        work.fault = std::move(fault);
      }
      return;
    }
    ++work.done;
    if (options.progress) options.progress(work.done, work.count);
  }
}

// A fault on its way out of the thread that met it: run() throws, as Memory::allocate() does, since
// who bounds the process knows how much there is.
constexpr const char* kNoMemory = "not enough memory for the CTAs";

void run_ctas(Work& work, Counters& counters) {
  try {
    run_some_ctas(work, counters);
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(work.mutex);
    work.stop_at = 0;
    work.fault.emplace();
    work.fault->kind = Fault::Kind::unsupported;
    work.fault->message = kNoMemory;
  }
}

// What all CTAs have shown: up to the first that could not be run to its end, so that it does not
// depend on the host's threads.
void collect_findings(Work& work, RunResult& result) {
  const RunState& state = work.state;
  Findings all(state);
  GlobalJudge judge(state);
  for (auto& [i, report] : work.reports) {
    if (i > work.stop_at) break;
    all.merge(std::move(report.findings));
    judge.add(work.cta(i), std::move(report.global));
  }
  judge.judge(all);
  std::ranges::copy_if(all.all(), std::back_inserter(result.findings),
                       [](const Finding& f) { return !f.remark; });
  // Where warps race, lanes of one mostly do so for the same reason, and less than that cures them.
  if (std::ranges::any_of(result.findings, [](const Finding& f) {
        return f.fault.kind == Fault::Kind::race && !f.between_lanes;
      })) {
    std::stable_partition(result.findings.begin(), result.findings.end(),
                          [](const Finding& f) { return !f.between_lanes; });
  }
  if (result.fault) {
    result.findings.emplace_back().fault = *result.fault;
  } else if (!result.findings.empty()) {
    result.fault = result.findings.front().fault;
  }
  std::ranges::copy_if(all.all(), std::back_inserter(result.findings),
                       [](const Finding& f) { return f.remark; });
}

}  // namespace

std::string prepare(RunState& s) {
  const Launch& launch = *s.launch;
  const EntryInfo& info = s.entry->info;
  const Dim3 &b = launch.block, &g = launch.grid;
  const uint64_t threads = uint64_t{b.x} * b.y * b.z;
  const bool too_wide = b.x > 1024 || b.y > 1024 || b.z > 1024;
  if (too_wide || threads == 0 || threads > 1024) {
    return "the block of " + std::to_string(b.x) + " x " + std::to_string(b.y) + " x " +
           std::to_string(b.z) + " threads is not within 1 to 1024";
  }
  const Dim3& required = info.required_block;
  const auto shape = [](const Dim3& d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
  };
  if (required.x && (b.x != required.x || b.y != required.y || b.z != required.z)) {
    return "the block is " + shape(b) + " threads, but the kernel says .reqntid " +
           shape(required) + ": launch it with exactly that";
  }
  if (info.max_threads && threads > info.max_threads) {
    return "the block of " + std::to_string(threads) +
           " threads exceeds the kernel's .maxntid of " + std::to_string(info.max_threads);
  }
  if (g.x == 0 || g.y == 0 || g.z == 0 || g.y > 65535 || g.z > 65535) {
    return "the grid of " + std::to_string(g.x) + " x " + std::to_string(g.y) + " x " +
           std::to_string(g.z) + " CTAs is empty, or above 65535 in y or z";
  }
  if (launch.parameters.size() != info.parameter_bytes) {
    return "the launch passes " + std::to_string(launch.parameters.size()) +
           " bytes of parameters, but the kernel takes " + std::to_string(info.parameter_bytes);
  }
  const uint64_t shared = uint64_t{info.static_shared_bytes} + launch.dynamic_shared_bytes;
  if (shared > kMaxSharedBytes) {
    return "the CTA needs " + std::to_string(shared) + " bytes of shared memory, above 1048576";
  }
  for (const Dim3& c : s.options->ctas) {
    if (c.x >= g.x || c.y >= g.y || c.z >= g.z) {
      return "the CTA (" + std::to_string(c.x) + ", " + std::to_string(c.y) + ", " +
             std::to_string(c.z) + ") lies outside the grid";
    }
  }
  if (std::string wrong = set_up_clusters(s); !wrong.empty()) return wrong;
  s.threads = static_cast<uint32_t>(threads);
  s.warps = (s.threads + 31) / 32;
  s.shared_bytes = static_cast<uint32_t>(shared);
  s.rows = active_rows();
  if (s.options->sums_of != kSumsIeee) {
    const ProductSums sums = product_sums(*s.program, info.name, s.options->sums_of);
    if (sums.architecture != 0) s.sums = sum_rules(sums.architecture);
  }
  s.parameters = launch.parameters;
  s.parameters.resize(s.parameters.size() + 16);  // room for a wide load of the last bytes
  const auto& data = s.program->impl().data;
  auto& buffers = s.memory->impl().buffers;
  s.regions.resize(kModuleRegions + data.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    s.regions[i + 1] = {buffers[i].data.get(), buffers[i].bytes, buffers[i].read_only};
  }
  s.regions[kParameterRegion] = {s.parameters.data(), launch.parameters.size(), true};
  for (size_t i = 0; i < data.size(); ++i) {
    s.module_data.push_back(allocate_bytes(data[i].bytes));
    if (!data[i].initial.empty() && data[i].bytes) {
      std::memcpy(s.module_data.back().get(), data[i].initial.data(),
                  std::min<uint64_t>(data[i].initial.size(), data[i].bytes));
    }
    s.regions[kModuleRegions + i] = {s.module_data.back().get(), data[i].bytes, data[i].read_only};
  }
  return {};
}

// Of chosen CTAs, the whole clusters that they are of.
static void plan_members(Work& work) {
  const std::vector<Dim3>& chosen = work.state.options->ctas;
  const uint32_t size = work.state.cluster_ctas();
  std::map<uint64_t, uint64_t> begun;  // by the place of the cluster's first CTA: by members
  for (const Dim3& cta : chosen) {
    const uint64_t place = work.place(cta), first = place / size * size;
    const auto [it, is_new] = begun.try_emplace(first, work.members.size());
    for (uint32_t r = 0; is_new && r < size; ++r) {
      work.members.push_back(work.in_cluster(first / size, r));
      work.is_member_chosen.push_back(false);
    }
    work.is_member_chosen[it->second + (place - first)] = true;
  }
  work.planned = work.members.size();
  work.count = static_cast<uint64_t>(std::ranges::count(work.is_member_chosen, true));
}

std::string set_up(Work& work, const Program& program, std::string_view entry, const Launch& launch,
                   Memory& memory, const RunOptions& options) {
  RunState& state = work.state;
  state.program = &program;
  state.launch = &launch;
  state.options = &options;
  state.memory = &memory;
  for (const Entry& e : program.impl().entries) {
    if (e.info.name == entry) state.entry = &e;
  }
  const auto refuse = [](const std::string& why) {
    return "The launch is not possible: " + why + ".";
  };
  if (!state.entry) return refuse("there is no entry '" + std::string(entry) + "'");
  if (!state.entry->errors.empty()) return state.entry->errors.front().message;
  try {
    if (const std::string wrong = prepare(state); !wrong.empty()) return refuse(wrong);
  } catch (const std::bad_alloc&) {
    return refuse("there is not enough memory for the module's variables");
  }
  const auto waits = std::make_shared<WaitPlan>(state.entry->code, state.rows);
  if (waits->talks) {
    state.waits = waits;
    state.look_ahead = std::make_shared<LookAhead>(state.entry->code);
    state.writers = std::make_shared<Writers>();
  }
  work.count = options.ctas.empty() ? uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z
                                    : options.ctas.size();
  work.planned = work.count;
  if (!options.ctas.empty() && state.cluster_ctas() > 1) plan_members(work);
  return {};
}

RunResult run(const Program& program, std::string_view entry, const Launch& launch, Memory& memory,
              const RunOptions& options) {
  RunResult result;
  Work work;
  RunState& state = work.state;
  if (std::string wrong = set_up(work, program, entry, launch, memory, options); !wrong.empty()) {
    result.fault.emplace();
    result.fault->kind = Fault::Kind::unsupported;
    result.fault->message = std::move(wrong);
    return result;
  }
  if (options.check) {
    state.check = std::make_shared<CheckPlan>(state.entry->code, state.rows);
  }
  if (options.provenance) options.provenance->impl().start(state);
  const uint64_t threads =
      state.waits ? 1
                  : std::clamp<uint64_t>(
                        static_cast<uint64_t>(std::max(options.threads, 1)), 1,
                        std::min<uint64_t>(work.planned / state.cluster_ctas(), kMostThreads));
  std::vector<std::unique_ptr<Counters>> counters;
  for (uint64_t i = 0; i < threads; ++i) {
    counters.push_back(std::make_unique<Counters>(state.entry->code));
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> helpers;
  for (uint64_t i = 1; i < threads; ++i) {
    helpers.emplace_back([&work, &counters, i] { run_ctas(work, *counters[i]); });
  }
  run_ctas(work, *counters[0]);
  for (std::thread& t : helpers) t.join();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.counts = make_counts(state.entry->code, state.rows, counters);
  for (uint64_t i = 0; i < work.members.size(); ++i) {
    if (!work.is_member_chosen[i]) result.taken_along.push_back(work.members[i]);
  }
  result.taken_along.insert(result.taken_along.end(), work.taken_along.begin(),
                            work.taken_along.end());
  result.trace = std::move(work.trace);
  result.fault = std::move(work.fault);
  if (result.fault && result.fault->message == kNoMemory) throw std::bad_alloc();
  for (const auto& [i, text] : work.output) {  // as if the CTAs had run one after the other
    if (i > work.stop_at.load() || result.output.size() >= kMaxOutput) break;
    result.output += text.substr(0, kMaxOutput - result.output.size());
  }
  if (state.check) collect_findings(work, result);
  if (options.check || options.remarks) add_remarks(state, counters, result.findings);
  return result;
}

}  // namespace tilescope::emulator
