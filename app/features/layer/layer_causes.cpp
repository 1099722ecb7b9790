#include "app/features/layer/layer_causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/features/layer/layer_times.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using workload::Bar;
using workload::Cause;
using workload::Workload;

/// "after part of dX 1, which it adds up, is there on all ranks", with the reason.
std::string after_words(const Workload& w, const Bar& bar) {
  const bool transfer = is_collective(w.steps[static_cast<size_t>(bar.step)]);
  const std::string before = bar.cause.of.step >= 0 ? chunk_name(w, bar.cause.of) : std::string();
  switch (bar.cause.kind) {
    case Cause::Kind::none:
      return tr("at once: it waits for nothing");
    case Cause::Kind::lane:
      return transfer
                 ? wording("after {}: one transfer travels at a time", before)
                 : wording("after {}: rank {} does one thing after the other", before, bar.rank);
    case Cause::Kind::operand:
      return w.layer.ranks > 1 ? wording("after {}, which it reads, on all ranks", before)
                               : wording("after {}, which it reads", before);
    case Cause::Kind::pass:
      return wording(
          "after {}: the loss, and so the backward pass, needs all of the forward "
          "pass",
          before);
    case Cause::Kind::alone:
      return wording("after {}: transfers do not overlap", before);
  }
  return {};
}

}  // namespace

std::string chunk_name(const Workload& w, workload::ChunkOf what) {
  const workload::Step& step = w.steps[static_cast<size_t>(what.step)];
  const std::string name = result_name(w, step);
  return step.chunks > 1 && what.chunk >= 0 ? fmt::format("{} {}", name, what.chunk + 1) : name;
}

std::string cause_words(const Workload& w, const Bar& bar) {
  const std::string name = chunk_name(w, {bar.step, bar.chunk});
  const std::string after = after_words(w, bar);
  if (bar.holder.step < 0) return wording("{} begins {}.", name, after);
  // Products were started first: a transfer's threads find no room until a CTA ends.
  return wording(
      "{} could begin {}. It begins ~{} later: {} has the SMs by then, and a transfer gets its few "
      "only when CTAs end.",
      name, after, model::time_text(bar.begin_us - bar.asked_us), chunk_name(w, bar.holder));
}

std::string begin_words(const AppState& state, workload::ChunkOf what, int rank) {
  const LayerModel* model = layer_model(state);
  if (!model) return {};
  const auto bar = std::ranges::find_if(model->plan.schedule.bars, [&](const Bar& b) {
    return b.step == what.step && b.chunk == what.chunk && b.rank == rank;
  });
  if (bar == model->plan.schedule.bars.end()) return {};
  return cause_words(model->plan.workload, *bar);
}

}  // namespace tilescope
