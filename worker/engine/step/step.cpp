#include "worker/engine/step/step.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/layout/packing.h"
#include "emulator/stepper.h"
#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {

using emulator::Stepper;
using emulator::StopCondition;

struct StepKeeper::Kept {
  std::string key;
  std::unique_ptr<Stepper> stepper;
  std::vector<StepBuffer> buffers;
  std::optional<Problem> problem;  // of a kernel of the ladder: A, B and C are the first buffers
  std::string source_file;         // whose lines are told
};

namespace {

constexpr Operand kOperands[] = {Operand::a, Operand::b, Operand::c};

/// What the buffers' file holds may change under its name.
std::string file_state(const std::string& path) {
  if (path.empty()) return "";
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const auto time = static_cast<long long>(
      std::filesystem::last_write_time(path, error).time_since_epoch().count());
  return path + " " + std::to_string(size) + " " + std::to_string(time);
}

std::string key_of(const calls::Step::Request& request, const SteppedKernel* kernel) {
  Hash hash;
  if (kernel) {
    hash.add_field(nlohmann::json(kernel->request).dump()).add_field(kernel->ptx);
  } else {
    hash.add_field(nlohmann::json(*request.launch).dump());
    hash.add_field(file_state(request.launch->contents));
  }
  hash.add_field(request.cta ? nlohmann::json(*request.cta).dump() : "");
  hash.add_field(std::to_string(request.seed)).add_field(request.source_file);
  hash.add_field(std::to_string(request.bounds.max_lane_instructions));
  return hash.hex();
}

/// Of a chosen CTA the operands' parts that it works on.
EmulatedGemm gemm_of(const calls::Step::Request& request, const SteppedKernel& kernel) {
  GemmFill fill;
  fill.registers = emulator::Registers::kept;
  fill.data.seed = request.seed;
  if (request.cta) {
    const KernelPlan plan = plan_of(kernel.request, kernel.entry);
    const Launch launch = launch_of(plan);
    for (int cta = 0; cta < plan.work.ctas; ++cta) {
      const BlockIndex at = block_index(launch, cta);
      if (at.x != request.cta->x || at.y != request.cta->y || at.z != request.cta->z) continue;
      for (int i = 0; i < work_items(plan.work, cta); ++i) {
        fill.tiles.push_back(work_item(plan.work, cta, i).tile);
      }
    }
  }
  return prepare_gemm(kernel.request, kernel.entry, kernel.ptx, fill);
}

void name_buffers(const emulator::Memory& memory, std::vector<StepBuffer>& buffers) {
  for (int i = 0;; ++i) {
    const uint64_t address = static_cast<uint64_t>(i + 1) << 40;
    const auto bytes = memory.bytes(address);
    if (bytes.data() == nullptr) return;
    buffers.push_back({memory.name(i), address, bytes.size()});
  }
}

std::unique_ptr<Stepper> start(EmulatedLaunch launch, const calls::Step::Request& request,
                               std::string source_file) {
  Stepper::Options options;
  if (request.cta) {
    options.ctas = {dim3(*request.cta)};
  } else {
    options.resident = launch.resident;
  }
  options.sums_of = launch.sums_of;
  options.source_file = std::move(source_file);
  options.max_warp_instructions = warp_instructions_of(request.bounds.max_lane_instructions);
  auto started = Stepper::start(launch.program, launch.entry, std::move(launch.launch),
                                std::move(launch.memory), std::move(options));
  if (const auto* wrong = std::get_if<std::string>(&started)) fail(kUsage, *wrong);
  return std::get<0>(std::move(started));
}

/// A stop with its place in memory and its warp filled in.
StopCondition resolved(const StepStop& stop, const std::vector<StepBuffer>& buffers,
                       const std::optional<Problem>& problem, const emulator::StepPlace& from) {
  StopCondition c = stop.condition;
  if (stop.here) {
    if (!c.cta) c.cta = from.cta;
    if (!c.warp) c.warp = from.warp;
  }
  if (stop.buffer.empty()) return c;
  size_t index = 0;
  std::string known;
  while (index < buffers.size() && stop.buffer != buffers[index].name &&
         stop.buffer != std::to_string(index)) {
    known += (known.empty() ? "" : ", ") + buffers[index++].name;
  }
  if (index == buffers.size()) {
    fail(kUsage, "The launch has no buffer '" + stop.buffer + "'; it has " + known +
                     ", or by number 0 to " + std::to_string(buffers.size() - 1) + ".");
  }
  const StepBuffer& buffer = buffers[index];
  if (stop.element) {
    if (!problem || index > 2) {
      fail(kUsage,
           "Elements by row and column are known of A, B and C of a kernel of the ladder; "
           "name bytes: " +
               stop.buffer + "+OFFSET:BYTES.");
    }
    const Operand o = kOperands[index];
    if (stop.element->row >= operand_rows(*problem, o) ||
        stop.element->col >= operand_cols(*problem, o)) {
      fail(kUsage, buffer.name + " has " + std::to_string(operand_rows(*problem, o)) +
                       " rows and " + std::to_string(operand_cols(*problem, o)) +
                       " columns, from 0 on.");
    }
    c.address = static_cast<uint64_t>(global_offset(*problem, o, *stop.element));
    c.bytes = static_cast<uint64_t>(element_bytes(operand_type(*problem, o)));
  }
  if (c.address >= buffer.bytes || c.bytes > buffer.bytes - c.address) {
    fail(kUsage, buffer.name + " has " + std::to_string(buffer.bytes) + " bytes; " +
                     std::to_string(c.bytes) + " from " + std::to_string(c.address) +
                     " on lie outside of it.");
  }
  c.address += buffer.address;
  return c;
}

/// Of what stands in another file the line is told with it.
StepChecks checks_of(Stepper& stepper, const std::string& source_file) {
  const emulator::StepFindings findings = stepper.findings();
  StepChecks checks{{}, findings.later, findings.cut_short};
  for (const emulator::Finding& f : findings.found) {
    StepFinding& told = checks.found.emplace_back();
    told.finding = code_finding(f, stepper.program(), source_file);
    if (told.finding.line == 0) {
      told.finding.line = f.fault.source.line, told.finding.file = f.fault.source.file;
    }
    if (!f.seen) continue;
    told.seen_warp = static_cast<int>(f.seen->warp), told.seen_step = f.seen->step;
  }
  return checks;
}

/// While it exists.
class CancelledBy {
 public:
  CancelledBy(Stepper& stepper, const std::atomic<bool>* flag) : stepper_(stepper) {
    stepper.cancel_by(flag);
  }
  ~CancelledBy() { stepper_.cancel_by(nullptr); }
  CancelledBy(const CancelledBy&) = delete;
  CancelledBy& operator=(const CancelledBy&) = delete;

 private:
  Stepper& stepper_;
};

}  // namespace

void StepKeeper::move(Kept& kept, const StepMotion& motion, StepAnswer& answer) {
  Stepper& stepper = *kept.stepper;
  if (motion.stops.empty()) {  // however often: there is one end
    stepper.go_to(motion.back ? 0 : ~0ull);
    ++answer.moves;
    return;
  }
  for (uint32_t i = 0; i < motion.times && answer.found; ++i) {
    std::vector<StopCondition> stops;
    for (const StepStop& stop : motion.stops) {
      stops.push_back(resolved(stop, kept.buffers, kept.problem, stepper.place()));
      const std::string why = i == 0 ? stepper.refuses(stops.back()) : "";
      if (!why.empty()) fail(kUsage, "There is nowhere to stop: " + why);
    }
    const auto way = motion.back ? Stepper::Direction::backward : Stepper::Direction::forward;
    answer.found = stepper.find(way, stops).has_value();
    answer.moves += answer.found;
  }
}

StepKeeper::StepKeeper() = default;
StepKeeper::~StepKeeper() = default;

StepAnswer StepKeeper::step(const calls::Step::Request& request, const SteppedKernel* kernel,
                            const std::atomic<bool>* cancelled) {
  const std::lock_guard lock(mutex_);
  const bool named = !request.kept.empty();
  if (named && (!kept_ || kept_->key != request.kept)) return {};
  std::string key = named ? request.kept : key_of(request, kernel);
  if (!kept_ || kept_->key != key) {
    kept_.reset();  // before the next is made: both may not have room
    auto fresh = std::make_unique<Kept>();
    fresh->key = std::move(key);
    if (kernel) {
      EmulatedGemm gemm = gemm_of(request, *kernel);
      fresh->problem = gemm.problem;
      fresh->source_file = kernel->entry.file;
      fresh->stepper = start(std::move(gemm), request, fresh->source_file);
    } else {
      fresh->source_file = request.source_file;
      fresh->stepper = start(prepare_launch(*request.launch, emulator::Registers::kept), request,
                             request.source_file);
    }
    name_buffers(fresh->stepper->memory(), fresh->buffers);
    kept_ = std::move(fresh);
  }
  try {
    return answer_of(*kept_, request, cancelled);
  } catch (const std::bad_alloc&) {
    kept_.reset();  // it would go on taking the memory that was short
    throw;
  }
}

StepAnswer StepKeeper::answer_of(Kept& kept, const calls::Step::Request& request,
                                 const std::atomic<bool>* cancelled) {
  Stepper& stepper = *kept.stepper;
  StepAnswer answer;
  const CancelledBy cancelling(stepper, cancelled);
  try {
    stepper.go_to(request.from);
    for (const StepMotion& motion : request.motions) move(kept, motion, answer);
    answer.state = stepper.state(request.parts);
    if (request.checks) answer.checks = checks_of(stepper, kept.source_file);
  } catch (const Stepper::Cancelled&) {
    fail_cancelled();
  } catch (const std::out_of_range& what) {
    fail(kUsage, what.what());
  }
  answer.buffers = kept.buffers;
  answer.checkpoints = stepper.checkpoints();
  answer.checkpoint_bytes = stepper.checkpoint_bytes();
  answer.kept = kept.key;
  return answer;
}

}  // namespace tilescope::worker
