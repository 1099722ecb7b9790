#include "worker/engine/emulate/origin_launch.h"

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "emulator/provenance.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/emulate/elements.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/launch_matrices.h"
#include "worker/engine/emulate/origin_words.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_launch.h"

namespace tilescope::worker {
namespace {

using emulator::Provenance;

/// As of a kernel of the ladder (origin.cpp).
constexpr size_t kMostLaunchNodes = 1u << 22;

/// A CTA's run up to a moment.
struct FollowedLaunch {
  std::string key;
  EmulatedLaunch launch;
  std::vector<LaunchMatrix> matrices;
  Provenance provenance;
  InstructionLines lines;
};

void check_within(const char* what, int64_t value, int64_t count) {
  if (value >= 0 && value < count) return;
  fail(kUsage, std::string(what) + " is " + std::to_string(value) + "; this launch has 0 to " +
                   std::to_string(count - 1) + ".");
}

void check_question(const OriginQuestion& q, const EmulatedLaunch& launch) {
  const emulator::Dim3 grid = launch.launch.grid, block = launch.launch.block;
  check_within("The CTA's x", q.cta.x, grid.x);
  check_within("The CTA's y", q.cta.y, grid.y);
  check_within("The CTA's z", q.cta.z, grid.z);
  check_within("The lane", q.lane, 32);
  check_within("The warp", q.warp, (int64_t{block.x} * block.y * block.z + 31) / 32);
}

/// Nothing: the CTA's end.
std::optional<Provenance::Moment> moment_asked(EmulatedLaunch& launch, const OriginQuestion& q) {
  if (q.what == "element" || q.what == "buffer") return std::nullopt;
  const auto warp = static_cast<uint32_t>(q.warp);
  if (q.times == 0) {
    if (q.step == 0) return std::nullopt;
    return Provenance::Moment{dim3(q.cta), warp, q.step};
  }
  const auto moment =
      Provenance::find_moment(*launch.program, launch.entry, launch.launch, launch.memory,
                              dim3(q.cta), warp, q.ptx_line, q.times);
  if (moment) return moment;
  fail(kUsage, "PTX line " + std::to_string(q.ptx_line) +
                   " is no load, store, copy, barrier, fma or mma that warp " +
                   std::to_string(q.warp) + " runs " + std::to_string(q.times) + " times.");
}

std::string key_of_launch(const LaunchRequest& launch, const OriginQuestion& q) {
  LaunchRequest without = launch;
  without.ptx = ptx_revision(launch.ptx);
  nlohmann::json key = {without, q.cta};
  const bool at_end = q.what == "element" || q.what == "buffer" || q.step + q.times == 0;
  if (!at_end) key.push_back({q.warp, q.step, q.times, q.times > 0 ? q.ptx_line : 0});
  return key.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::shared_ptr<FollowedLaunch> follow_launch(const calls::Origin::Request& asked, std::string key,
                                              const std::atomic<bool>* cancelled) {
  const OriginQuestion& q = asked.question;
  EmulatedLaunch launch = prepare_launch(*asked.launch);
  check_question(q, launch);
  Provenance::Options options;
  options.ctas = {dim3(q.cta)};
  options.max_nodes = kMostLaunchNodes;
  options.until = moment_asked(launch, q);
  if (options.until) launch = prepare_launch(*asked.launch);  // finding it may have changed memory
  InstructionLines lines(*launch.program, launch.entry);
  std::vector<LaunchMatrix> matrices = launch_matrices(*asked.launch, launch);
  auto followed = std::make_shared<FollowedLaunch>(
      FollowedLaunch{std::move(key), std::move(launch), std::move(matrices),
                     Provenance(std::move(options)), std::move(lines)});
  emulator::RunOptions run_options;
  run_options.ctas = {dim3(q.cta)};
  run_options.cancel = cancelled;
  run_options.max_warp_instructions = warp_instructions_of(asked.bounds.max_lane_instructions);
  run_options.provenance = &followed->provenance;
  const auto ran = followed->launch.run(std::move(run_options));
  if (ran.fault) fail_with(*ran.fault, *followed->launch.program, source_name(*asked.launch));
  return followed;
}

std::shared_ptr<FollowedLaunch> followed_launch(const calls::Origin::Request& asked,
                                                const std::atomic<bool>* cancelled) {
  static std::mutex mutex;
  static std::shared_ptr<FollowedLaunch> last;
  const std::lock_guard lock(mutex);
  std::string key = key_of_launch(*asked.launch, asked.question);
  if (!last || last->key != key) {
    last = nullptr;  // frees its memory first
    last = follow_launch(asked, std::move(key), cancelled);
  }
  check_question(asked.question, last->launch);
  return last;
}

std::string register_asked(const FollowedLaunch& followed, const OriginQuestion& q) {
  if (!q.name.empty()) {
    if (followed.lines.has_register(q.name)) return q.name;
    fail(kUsage, "The kernel has no register " + q.name + "; its PTX names them.");
  }
  const emulator::Instruction* in = followed.lines.at(q.ptx_line);
  const auto operand = static_cast<size_t>(q.operand), index = static_cast<size_t>(q.index);
  if (!in || q.operand < 0 || operand >= in->operands.size() || q.index < 0 ||
      index >= in->operands[operand].size()) {
    fail(kUsage, "PTX line " + std::to_string(q.ptx_line) + " has no register " +
                     std::to_string(q.index) + " in operand " + std::to_string(q.operand) + ".");
  }
  return in->operands[operand][index];
}

/// The bytes of a buffer that an element, or the question itself, stands for.
struct AskedBytes {
  int buffer = -1;
  uint64_t offset = 0;
  uint32_t bytes = 0;
};
AskedBytes bytes_asked(const FollowedLaunch& f, const LaunchRequest& launch,
                       const OriginQuestion& q) {
  if (q.what == "buffer") {
    check_within("The buffer", q.buffer, static_cast<int64_t>(f.matrices.size()));
    const uint64_t all =
        f.launch.memory.bytes(f.matrices[static_cast<size_t>(q.buffer)].address).size();
    check_within("The byte", static_cast<int64_t>(q.offset), static_cast<int64_t>(all));
    const bool fits = q.bytes == 2 || q.bytes == 4 || q.bytes == 8;
    return {q.buffer, q.offset, fits ? static_cast<uint32_t>(q.bytes) : 4};
  }
  if (!launch.sheet || !launch.sheet->gemm) {
    fail(kUsage,
         "An element of C is asked for, and the launch's sheet does not say which buffer is C; "
         "ask for bytes of a buffer.");
  }
  const int c = buffer_of_argument(f.launch, launch.sheet->gemm->c);
  const LaunchMatrix& matrix = f.matrices.at(static_cast<size_t>(c));
  check_within("The row", q.element.row, static_cast<int64_t>(matrix.rows));
  check_within("The column", q.element.col, static_cast<int64_t>(matrix.cols));
  return {c, matrix.offset_of(q.element), matrix.bytes};
}

std::string cta_text(const BlockIndex& cta) {
  return "CTA (" + std::to_string(cta.x) + ", " + std::to_string(cta.y) + ", " +
         std::to_string(cta.z) + ")";
}

}  // namespace

OriginResult origin_of_launch(const calls::Origin::Request& asked,
                              const std::atomic<bool>* cancelled) {
  const OriginQuestion& q = asked.question;
  const LaunchRequest& launch = *asked.launch;
  const std::shared_ptr<FollowedLaunch> followed = followed_launch(asked, cancelled);
  const FollowedLaunch& f = *followed;
  const emulator::Dim3 cta = dim3(q.cta);
  const Matrices matrices = matrices_of(launch, f.launch, f.matrices);
  OriginResult result;
  Expected expected;
  emulator::Value value;
  if (q.what == "register") {
    const std::string name = register_asked(f, q);
    value = f.provenance.of_register(cta, static_cast<uint32_t>(q.warp),
                                     static_cast<uint32_t>(q.lane), name, q.half);
    result.of = name +
                (q.half < 0    ? ""
                 : q.half == 0 ? ", low half,"
                               : ", high half,") +
                " in lane " + std::to_string(q.lane) + " of warp " + std::to_string(q.warp);
  } else if (q.what == "shared") {
    const bool fits = q.bytes == 2 || q.bytes == 4 || q.bytes == 8;
    value = f.provenance.of_shared(cta, q.offset, fits ? static_cast<uint32_t>(q.bytes) : 4);
    result.of = "shared byte " + std::to_string(q.offset);
  } else if (q.what == "element" || q.what == "buffer") {
    const AskedBytes at = bytes_asked(f, launch, q);
    const LaunchMatrix& matrix = f.matrices[static_cast<size_t>(at.buffer)];
    value = f.provenance.of_global(matrix.address + at.offset, at.bytes);
    const Element element = matrices.element({at.buffer, at.offset});
    result.of = element ? matrices.text(element) : matrix.name + "+" + std::to_string(at.offset);
    if (element) {
      result.boxes.push_back({element.matrix, element.at.row, element.at.col, 1, 1});
      const bool is_c = launch.sheet && launch.sheet->gemm &&
                        buffer_of_argument(f.launch, launch.sheet->gemm->c) == at.buffer;
      // CTAs along z share k as a rule: no single one has all of an element's products.
      if (is_c) expected = {element.at, f.launch.launch.grid.z == 1, 0};
    }
    if (value.kind == emulator::Value::Kind::none) {
      result.kind = "none";
      result.text = "nothing that " + cta_text(q.cta) +
                    " has computed of a buffer: it writes a constant there, or does not write it";
      return result;
    }
  } else {
    fail(kUsage, "\"" + q.what + "\" has no origin; known are register, shared, element, buffer.");
  }
  put_into_words(value, matrices, f.lines, source_name(launch), expected, result);
  return result;
}

}  // namespace tilescope::worker
