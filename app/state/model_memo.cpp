#include "app/state/model_memo.h"

#include <fmt/format.h>

#include <chrono>

namespace tilescope {
namespace {

constexpr size_t kMost = 20000;

std::string key_of(const KernelEntry& kernel, const TileConfig& tile, const Problem& p,
                   const model::DeviceRow& gpu) {
  std::string key = fmt::format(
      "{} {} {} {}x{}x{} {}{}{} {}{}{} {} {} {} {} {} {} {} {}", kernel.info.id, gpu.name,
      gpu.limits.sm_count, p.m, p.n, p.k, static_cast<int>(p.type_a), static_cast<int>(p.type_b),
      static_cast<int>(p.type_c), static_cast<int>(p.order_a), static_cast<int>(p.order_b),
      static_cast<int>(p.order_c), p.alpha, p.beta, p.lda, p.ldb, p.ldc, p.offset_a, p.offset_b,
      p.offset_c, p.bias);
  for (const TileField& field : kTileFields) key += fmt::format(" {}", get(tile, field.id));
  return key;
}

}  // namespace

std::optional<double> ModelMemo::tflops(const KernelEntry& kernel, const TileConfig& tile,
                                        const Problem& problem, const model::DeviceRow& gpu) {
  std::string key = key_of(kernel, tile, problem, gpu);
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  if (computed_ > 0 && (computed_ >= most_ || took_ms_ >= most_ms_)) {
    behind_ = true;
    return std::nullopt;
  }
  ++computed_;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const KernelPlan plan = kernel.plan(tile, problem, gpu.limits.sm_count);
  const model::Prediction p =
      model::predict(plan, problem, launch_of(plan), model::traffic(plan, problem), gpu);
  took_ms_ += std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  if (known_.size() >= kMost) known_.clear();
  known_.emplace(std::move(key), p.tflops);
  return p.tflops;
}

}  // namespace tilescope
