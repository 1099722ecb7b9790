#include "worker/engine/emulate/origin.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>

#include "core/model/format.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/origin_words.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/provenance_json.h"

namespace tilescope::worker {
namespace {

using emulator::Provenance;

/// Sums and expressions of a CTA: what goes on evenly takes some thousands, and what never does is
/// followed with a shorter k instead.
constexpr size_t kMostNodes = 1u << 22;

/// A CTA's run up to a moment: people ask for several values of the same one.
struct Followed {
  std::string key;
  EmulatedGemm gemm;
  Provenance provenance;
  InstructionLines lines;
};

emulator::Dim3 cta_of(const OriginQuestion& q) { return dim3(q.cta); }

/// CTAs that share out slices have other work with a shorter k: whoever begins the element's tile.
BlockIndex cta_told(const KernelPlan& told, const OriginQuestion& q) {
  if (q.what != "element" || q.k == 0) return q.cta;
  const Coord tile{q.element.row / told.block_m, q.element.col / told.block_n};
  return block_index(launch_of(told), first_worker(told.work, tile).cta);
}

/// Nothing: the CTA's end.
std::optional<Provenance::Moment> moment_of(EmulatedGemm& gemm, const OriginQuestion& q) {
  if (q.what == "element") return std::nullopt;
  const auto warp = static_cast<uint32_t>(q.warp);
  if (q.times > 0) {
    const auto moment = Provenance::find_moment(*gemm.program, kEntryName, gemm.launch, gemm.memory,
                                                cta_of(q), warp, q.ptx_line, q.times);
    if (moment) return moment;
    fail(kUsage, "PTX line " + std::to_string(q.ptx_line) + " is no load, store, copy, barrier, " +
                     "fma or mma that warp " + std::to_string(q.warp) + " runs " +
                     std::to_string(q.times) + (q.times == 1 ? " time." : " times."));
  }
  if (q.step == 0) return std::nullopt;
  return Provenance::Moment{cta_of(q), warp, q.step};
}

std::string key_of(const KernelRequest& request, std::string_view ptx, const OriginQuestion& q) {
  nlohmann::json key = {request, ptx_revision(ptx), q.cta, q.k};
  if (q.what != "element" && q.step + q.times > 0) {
    key.push_back({q.warp, q.step, q.times, q.times > 0 ? q.ptx_line : 0});
  }
  return key.dump();
}

std::shared_ptr<const Followed> follow(const KernelRequest& request, const KernelEntry& kernel,
                                       std::string_view ptx, const OriginQuestion& q,
                                       const std::atomic<bool>* cancelled, std::string key) {
  GemmFill nothing;
  nothing.skip = true;  // what the operands hold changes nothing
  nothing.k = q.k;
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx, nothing);
  const KernelPlan plan = gemm.plan;
  InstructionLines lines(*gemm.program, kEntryName);
  Provenance::Options options;
  options.until = moment_of(gemm, q);
  options.max_nodes = kMostNodes;
  auto followed = std::make_shared<Followed>(
      Followed{std::move(key), std::move(gemm), Provenance(std::move(options)), std::move(lines)});
  emulator::RunOptions run_options;
  run_options.ctas = {cta_of(q)};
  // Whoever of a tile's CTAs comes last stores it.
  if (splits_k(plan.work) && q.what == "element") {
    run_options.ctas.clear();
    const Coord tile = block_of(plan, {q.element.row, q.element.col});
    const TileParts parts = tile_parts(plan.work, tile);
    for (int part = 0; part < parts.count; ++part) {
      run_options.ctas.push_back(dim3(block_index(launch_of(plan), parts.cta(part))));
    }
  }
  run_options.cancel = cancelled;
  run_options.provenance = &followed->provenance;
  EmulatedGemm& g = followed->gemm;
  const auto ran = g.run(run_options);
  if (ran.fault) fail_with(*ran.fault, *g.program, kernel.file);
  return followed;
}

std::string register_of(const Followed& followed, const OriginQuestion& q) {
  if (!q.name.empty()) {
    if (followed.lines.has_register(q.name)) return q.name;
    fail(kUsage, "The kernel has no register " + q.name + "; its PTX names them.");
  }
  const emulator::Instruction* in = followed.lines.at(q.ptx_line);
  if (!in) {
    fail(kUsage,
         "PTX line " + std::to_string(q.ptx_line) + " holds no instruction with registers.");
  }
  const auto operand = static_cast<size_t>(q.operand), index = static_cast<size_t>(q.index);
  if (q.operand < 0 || operand >= in->operands.size() || q.index < 0 ||
      index >= in->operands[operand].size()) {
    fail(kUsage, in->opcode + " on PTX line " + std::to_string(q.ptx_line) + " has no register " +
                     std::to_string(q.index) + " in operand " + std::to_string(q.operand) + ".");
  }
  return in->operands[operand][index];
}

void require_inside(const char* what, int value, int count) {
  if (value >= 0 && value < count) return;
  fail(kUsage, std::string(what) + " is " + std::to_string(value) + "; here are 0 to " +
                   std::to_string(count - 1) + ".");
}

/// The run that answers the question: the last one, if it is of the same moment.
std::shared_ptr<const Followed> run_of(const KernelRequest& request, const KernelEntry& kernel,
                                       std::string_view ptx, const OriginQuestion& q,
                                       const std::atomic<bool>* cancelled) {
  const KernelPlan plan = plan_of(request, kernel);
  const Launch launch = launch_of(plan);
  require_inside("The CTA's x", q.cta.x, launch.grid_x);
  require_inside("The CTA's y", q.cta.y, launch.grid_y);
  require_inside("The CTA's z", q.cta.z, launch.grid_z);
  require_inside("The lane", q.lane, 32);
  require_inside("The warp", q.warp, plan.warps());
  if (q.k < 0 || q.k > request.problem.k) {
    fail(kUsage, "The kernel cannot be told k " + std::to_string(q.k) + " of a problem with k " +
                     std::to_string(request.problem.k) + ".");
  }
  require_followed(request.problem);
  static std::mutex mutex;
  static std::shared_ptr<const Followed> last;
  const std::lock_guard lock(mutex);
  std::string key = key_of(request, ptx, q);
  if (!last || last->key != key) {
    last = nullptr;  // frees its matrices first
    last = follow(request, kernel, ptx, q, cancelled, std::move(key));
  }
  return last;
}

}  // namespace

void require_followed(const Problem& p) {
  constexpr long long kMost = 1LL << 32;  // tags of provenance number halves of 16 bits
  const long long bytes = operand_buffer_bytes(p, Operand::a) + operand_buffer_bytes(p, Operand::b);
  if (bytes < kMost) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "A and B hold %.1f GB; values are followed through up to %.1f GB; choose a smaller "
                "problem.",
                static_cast<double>(bytes) * 1e-9, static_cast<double>(kMost) * 1e-9);
  fail(kMissing, text);
}

namespace {

/// With the k that the question tells. `all`: false if a part of it was more than is followed.
OriginResult origin_told(const KernelRequest& request, const KernelEntry& kernel,
                         std::string_view ptx, OriginQuestion q, const std::atomic<bool>* cancelled,
                         bool* all) {
  if (q.k == request.problem.k) q.k = 0;
  if (q.k > 0) q.cta = cta_told(plan_told(request, kernel, q.k), q);
  const std::shared_ptr<const Followed> run = run_of(request, kernel, ptx, q, cancelled);
  const Followed& f = *run;
  const emulator::Dim3 cta = cta_of(q);
  OriginResult result;
  Expected expected;
  emulator::Value value;
  if (q.what == "register") {
    const std::string name = register_of(f, q);
    value = f.provenance.of_register(cta, static_cast<uint32_t>(q.warp),
                                     static_cast<uint32_t>(q.lane), name, q.half);
    result.of = name +
                (q.half < 0    ? ""
                 : q.half == 0 ? ", low half,"
                               : ", high half,") +
                " in lane " + std::to_string(q.lane) + " of warp " + std::to_string(q.warp);
  } else if (q.what == "shared") {
    value = f.provenance.of_shared(cta, q.offset, static_cast<uint32_t>(q.bytes));
    value.origin = byte_at(value.origin, q.offset, element_bytes(f.gemm.problem.type_a));
    result.of = "shared byte " + std::to_string(q.offset);
  } else if (q.what == "element") {
    require_inside("The row", q.element.row, request.problem.m);
    require_inside("The column", q.element.col, request.problem.n);
    const auto offset =
        static_cast<uint64_t>(global_offset(request.problem, Operand::c, q.element));
    value = f.provenance.of_global(f.gemm.c + offset,
                                   static_cast<uint32_t>(element_bytes(request.problem.type_c)));
    expected = {q.element, true, q.k};
    result.of = matrices_of(f.gemm).text({static_cast<int>(Operand::c), q.element});
    result.boxes.push_back({static_cast<int>(Operand::c), q.element.row, q.element.col, 1, 1});
  } else {
    fail(kUsage, "\"" + q.what + "\" has no origin; known are register, shared, element.");
  }
  put_into_words(value, f.gemm, f.lines, kernel.file, expected, result);
  result.followed_k = q.k;
  if (q.k > 0) result.text += ", followed to k = " + model::grouped(q.k);
  *all = followed(value);
  return result;
}

}  // namespace

OriginResult origin_of(const KernelRequest& request, const KernelEntry& kernel,
                       std::string_view ptx, const OriginQuestion& question,
                       const std::atomic<bool>* cancelled) {
  bool all = false;
  OriginResult result = origin_told(request, kernel, ptx, question, cancelled, &all);
  if (all || question.what != "element") return result;
  // An element's first products are worth more than the word that there are too many.
  const KernelPlan plan = plan_of(request, kernel);
  OriginQuestion shorter = question;
  for (int k = question.k > 0 ? question.k : request.problem.k; !all;) {
    shorter.k = k_with_slices(plan, request.problem, k / plan.block_k / 4);
    if (shorter.k >= k) return result;
    k = shorter.k;
    OriginResult part = origin_told(request, kernel, ptx, shorter, cancelled, &all);
    if (all) result = std::move(part);
  }
  return result;
}

nlohmann::json stored_origins(const KernelRequest& request, const KernelEntry& kernel,
                              std::string_view ptx, BlockIndex cta,
                              const std::atomic<bool>* cancelled) {
  OriginQuestion whole;
  whole.cta = cta;
  const auto followed = run_of(request, kernel, ptx, whole, cancelled);
  constexpr int kArguments[] = {0, 1, 2};
  return nlohmann::json::parse(provenance_json(followed->provenance, kArguments).dump());
}

}  // namespace tilescope::worker
