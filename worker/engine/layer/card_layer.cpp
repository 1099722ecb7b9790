#include "worker/engine/layer/card_layer.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "worker/engine/error.h"
#include "worker/engine/gpu/statistics.h"
#include "worker/engine/layer/card_collective.h"
#include "worker/engine/layer/card_reference.h"
#include "worker/engine/layer/layer_data.h"

namespace tilescope::worker {
namespace {

using workload::Step;
using workload::StepKind;
using workload::Workload;

/// Begin and end of one chunk of a step, of one rank.
struct Timed {
  Timed(const Gpu& gpu, int of_step, int of_chunk, int of_rank)
      : step(of_step), chunk(of_chunk), rank(of_rank), begin(gpu), end(gpu) {}
  int step, chunk, rank;
  GpuEvent begin, end;
  const GpuEvent* begun = &begin;  // or the end of what ran just before: events take time, too
};

/// The layer's steps on this card, as often as they are asked for.
class Runner {
 public:
  Runner(const Gpu& gpu, const Workload& w, const std::vector<std::unique_ptr<CardRank>>& ranks,
         CardCollective* collective)
      : gpu_(gpu),
        w_(w),
        ranks_(ranks),
        collective_(collective),
        beside_(gpu),
        origin_(gpu),
        turn_(gpu),
        finish_(gpu),
        last_(gpu) {
    for (int s = 0; s < static_cast<int>(w.steps.size()); ++s) {
      const Step& step = w.steps[static_cast<size_t>(s)];
      std::vector<std::vector<std::unique_ptr<Timed>>> chunks;
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        std::vector<std::unique_ptr<Timed>> all;
        const size_t count = is_collective(step) ? 1 : ranks.size();
        for (size_t r = 0; r < count; ++r) {
          all.push_back(std::make_unique<Timed>(gpu, s, chunk, ranks[r]->rank()));
        }
        chunks.push_back(std::move(all));
      }
      timed_.push_back(std::move(chunks));
    }
  }

  /// Enqueues the whole layer and waits for it. `timed`: with an event between any two steps, for
  /// bars(); else with those alone that order the streams.
  void run(bool overlap, bool timed) {
    timed_run_ = timed;
    origin_.record();
    origin_.hold(beside_.get());
    transferred_ = false, before_ = &origin_;
    std::vector<bool> done(w_.steps.size());
    for (int s = 0; s < static_cast<int>(w_.steps.size()); ++s) {
      const Step& step = w_.steps[static_cast<size_t>(s)];
      const bool turns = s > 0 && step.pass != w_.steps[static_cast<size_t>(s) - 1].pass;
      if (turns && transferred_) last_.hold(gpu_.stream()), before_ = nullptr;
      if (turns) turn_.record();
      if (is_collective(step)) {
        for (int chunk = 0; chunk < step.chunks && !done[static_cast<size_t>(s)]; ++chunk) {
          transfer(s, chunk, false);
        }
        continue;
      }
      // The sum of what it computes follows it; by itself if it is not to run beside others.
      const bool follows = s + 1 < static_cast<int>(w_.steps.size()) &&
                           is_collective(w_.steps[static_cast<size_t>(s) + 1]);
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        compute(s, chunk);
        if (follows && !overlap) transfer(s + 1, chunk, true);
      }
      if (follows && !overlap) done[static_cast<size_t>(s) + 1] = true;
    }
    if (transferred_) last_.hold(gpu_.stream());
    finish_.record();
    gpu_.synchronize("the layer");
  }

  /// Microseconds of the last run() until its forward pass was whole, and of all of it.
  std::pair<double, double> totals() const {
    return {turn_.microseconds_since(origin_), finish_.microseconds_since(origin_)};
  }

  /// Of the last run().
  std::vector<LayerBar> bars() const {
    std::vector<LayerBar> bars;
    for (const auto& step : timed_) {
      for (const auto& chunk : step) {
        for (const auto& t : chunk) {
          bars.push_back({t->step, t->chunk, t->rank, t->begun->microseconds_since(origin_),
                          t->end.microseconds_since(origin_)});
        }
      }
    }
    return bars;
  }

  /// Microseconds of all chunks of a product on the first rank here, or of a collective, by
  /// themselves.
  double alone(int step) {
    const bool shared = is_collective(w_.steps[static_cast<size_t>(step)]);
    Timed& first = *timed_[static_cast<size_t>(step)].front().front();
    first.begun = &first.begin;
    first.begin.record();
    for (int chunk = 0; chunk < w_.steps[static_cast<size_t>(step)].chunks; ++chunk) {
      if (shared) {
        collective_->enqueue(step, chunk, gpu_.stream());
      } else {
        ranks_.front()->enqueue(step, chunk);
      }
    }
    first.end.record();
    first.end.wait("the layer");
    return first.end.microseconds_since(first.begin);
  }

 private:
  bool is_read_by_transfer(int number) const {
    return std::ranges::any_of(w_.steps, [&](const Step& step) {
      return is_collective(step) && std::ranges::find(step.after, number) != step.after.end();
    });
  }
  void compute(int step, int chunk) {
    auto& timed = timed_[static_cast<size_t>(step)][static_cast<size_t>(chunk)];
    for (size_t r = 0; r < ranks_.size(); ++r) {
      timed[r]->begun = before_ ? before_ : &timed[r]->begin;
      if (!before_ && timed_run_) timed[r]->begin.record();
      ranks_[r]->enqueue(step, chunk);
      if (timed_run_ || is_read_by_transfer(step)) timed[r]->end.record();
      before_ = &timed[r]->end;
    }
  }
  void transfer(int number, int chunk, bool alone) {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    const cuda::Stream stream = beside_.get();
    for (const int before : step.after) {
      auto& chunks = timed_[static_cast<size_t>(before)];
      const bool alike = static_cast<int>(chunks.size()) == step.chunks;
      const size_t which = alike ? static_cast<size_t>(chunk) : chunks.size() - 1;
      chunks[which].back()->end.hold(stream);
    }
    Timed& t = *timed_[static_cast<size_t>(number)][static_cast<size_t>(chunk)].front();
    if (timed_run_) t.begin.record(stream);
    collective_->enqueue(number, chunk, stream);
    t.end.record(stream);
    last_.record(stream);
    transferred_ = true;
    if (!alone) return;
    t.end.hold(gpu_.stream());
    before_ = nullptr;
  }

  const Gpu& gpu_;
  const Workload& w_;
  const std::vector<std::unique_ptr<CardRank>>& ranks_;
  CardCollective* collective_;  // null if no step needs one
  GpuStream beside_;
  GpuEvent origin_, turn_, finish_, last_;
  bool transferred_ = false, timed_run_ = true;
  // Of what the usual stream last did, if nothing is waited for since.
  const GpuEvent* before_ = nullptr;
  std::vector<std::vector<std::vector<std::unique_ptr<Timed>>>> timed_;  // step, chunk, rank
};

std::vector<MatrixCheck> check(const Gpu& gpu, const GpuTools& tools, const Workload& w,
                               const LayerRequest& request,
                               const std::vector<std::unique_ptr<CardRank>>& ranks) {
  const Workload one = make_workload(on_one_rank(w.layer));
  CardReference reference(gpu, tools, one, request.seed);
  std::vector<MatrixCheck> checks;
  for (int m = 0; m < static_cast<int>(w.matrices.size()); ++m) {
    const workload::Matrix& matrix = w.matrices[static_cast<size_t>(m)];
    const int expected = expected_matrix(w, m, one);
    if (matrix.given || expected < 0) continue;
    MatrixCheck check{matrix.name, {}};
    for (const auto& rank : ranks) {
      Verification v =
          reference.compare(expected, slice_of(w, m, rank->rank()), rank->address(m), matrix.type);
      v.elements += check.verified.elements;
      if (check.verified.elements == 0 || !v.ok || v.norm > check.verified.norm) {
        check.verified = v;
      } else {
        check.verified.elements = v.elements;
      }
      if (!check.verified.ok) break;
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

void require_room(const Gpu& gpu, const Workload& w, int rank) {
  double bytes = 0, most = 0;
  for (int r = 0; r < w.layer.ranks; ++r) {
    if (rank < 0 || r == rank) bytes += held_bytes(w, r);
  }
  // Beside them the reference of the largest, and what it is computed of.
  const Workload one = make_workload(on_one_rank(w.layer));
  for (int m = 0; m < static_cast<int>(one.matrices.size()); ++m) {
    const workload::Matrix& matrix = one.matrices[static_cast<size_t>(m)];
    const double elements = 1.0 * matrix.rows * matrix.cols;
    if (matrix.given) bytes += held_bytes(one, m, 0);
    most = std::max(most, 8 * elements);
  }
  const auto free = static_cast<double>(gpu.free_bytes());
  if (bytes + most > free) fail(kMissing, memory_sentence(gpu.name(), bytes + most, free));
}

void pause(double us) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
}

void measure(const Gpu& gpu, const Workload& w, const LayerRequest& request,
             const CardLayerRun& how, Runner& runner, CardCollective* collective, RankRun& result) {
  constexpr double kRest = 3;  // between samples, of their time: so that the card keeps its clock
  const auto agree = [&](double value) { return collective ? collective->agree(value) : value; };
  const auto sample = [&](bool overlap, std::vector<std::vector<LayerBar>>& to) {
    agree(0);  // ranks begin together
    runner.run(overlap, true);
    to.push_back(runner.bars());
    double end = 0;
    for (const LayerBar& bar : to.back()) end = std::max(end, bar.end_us);
    pause(end * kRest);
    return end;
  };
  // As many of each kind as fit into the time, the same number on all ranks.
  std::vector<std::vector<LayerBar>> first;
  const double us = agree(sample(false, first));
  const int count =
      std::clamp(static_cast<int>(request.seconds * 1e6 / 3 / (us * (1 + kRest))), 5, 50);
  const auto tell = [&](int done) {
    if (how.progress) how.progress("measuring", done, 3 * count);
  };
  const bool cancelled_matters = how.options.cancelled != nullptr;
  const auto stop_if_cancelled = [&] {
    if (cancelled_matters && how.options.cancelled->load()) fail_cancelled();
  };
  for (int i = 0; i < count; ++i) {
    tell(i), stop_if_cancelled();
    sample(false, result.serial);
  }
  result.alone_us.assign(w.steps.size(), 0);
  std::vector<std::vector<double>> alone(w.steps.size());
  for (int i = 0; i < count; ++i) {
    tell(count + i), stop_if_cancelled();
    for (size_t s = 0; s < w.steps.size(); ++s) {
      if (is_collective(w.steps[s])) agree(0);
      alone[s].push_back(runner.alone(static_cast<int>(s)));
      pause(alone[s].back() * kRest);
    }
  }
  for (size_t s = 0; s < alone.size(); ++s) {
    if (!alone[s].empty()) result.alone_us[s] = median(alone[s]);
  }
  for (int i = 0; i < count && result.together; ++i) {
    tell(2 * count + i), stop_if_cancelled();
    sample(w.layer.overlap, result.samples);
    agree(0);
    runner.run(w.layer.overlap, false);
    result.totals_us.push_back(runner.totals());
    pause(result.totals_us.back().second * kRest);
  }
  gpu.synchronize("the layer");
}

}  // namespace

RankRun run_layer_on_card(const Gpu& gpu, const GpuTools& tools, const LayerRequest& request,
                          const CardLayerRun& how) {
  const Workload w = make_workload(request.layer);
  if (request.choices.size() != w.steps.size()) {
    fail(kUsage, "The layer has " + std::to_string(w.steps.size()) +
                     " steps, and kernels are chosen for " +
                     std::to_string(request.choices.size()) + ".");
  }
  require_room(gpu, w, how.rank);
  const auto tell = [&](const char* stage) {
    if (how.progress) how.progress(stage, 0, 1);
  };
  tell("compiling");
  std::vector<std::unique_ptr<CardRank>> ranks;
  const int first = std::max(0, how.rank), end = how.rank < 0 ? w.layer.ranks : how.rank + 1;
  for (int rank = first; rank < end; ++rank) {
    ranks.push_back(std::make_unique<CardRank>(gpu, tools, w, request, rank, how.options));
  }
  std::unique_ptr<CardCollective> collective;
  if (how.rank >= 0) {
    tell("connecting the ranks");
    std::string why_not;
    const auto nccl = Nccl::open(&why_not);
    if (!nccl) fail(kMissing, why_not);
    collective = nccl_collective(gpu, tools, w, *ranks[0], nccl, how.id);
  } else if (std::ranges::any_of(w.steps, workload::is_collective)) {
    collective = local_collective(gpu, tools, w, ranks, how.options);
  }
  RankRun result;
  result.device = gpu.name();
  result.collective = collective ? collective->name() : "";
  result.together = how.rank >= 0 || w.layer.ranks == 1;
  Runner runner(gpu, w, ranks, collective.get());
  for (const auto& rank : ranks) rank->poison();
  runner.run(w.layer.overlap, true);
  tell("verifying");
  result.checks = check(gpu, tools, w, request, ranks);
  const bool wrong =
      std::ranges::any_of(result.checks, [](const MatrixCheck& c) { return !c.verified.ok; });
  // All ranks measure, or none does.
  const bool any_wrong = (collective ? collective->agree(wrong ? 1 : 0) : wrong ? 1 : 0) > 0;
  if (request.measure && !any_wrong)
    measure(gpu, w, request, how, runner, collective.get(), result);
  return result;
}

}  // namespace tilescope::worker
