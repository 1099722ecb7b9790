#include "worker/process/gang.h"

#include <algorithm>

#include "worker/messages/calls.h"
#include "worker/process/pool_words.h"

namespace tilescope::worker {

using nlohmann::json;

namespace {

/// Of a request that nobody has read yet; what is no number of seconds is what a request lacks.
int64_t time_limit_ms(const json& params) {
  constexpr double kDefault = 60, kLongest = 1e6;  // seconds
  const auto at = params.is_object() ? params.find("time_limit") : params.end();
  const double seconds = at != params.end() && at->is_number() ? at->get<double>() : kDefault;
  return static_cast<int64_t>(1000 * (seconds > 0 ? std::min(seconds, kLongest) : kDefault));
}

}  // namespace

Gang::Gang(uv_loop_t* loop, std::vector<Member> members, json params, Outcome outcome)
    : params_(std::move(params)),
      outcome_(std::move(outcome)),
      limit_(time_limit_ms(params_)),
      silence_(loop) {
  for (Member& member : members) ranks_.push_back({std::move(member), 0, {}, "starting", {}});
}

void Gang::start() {
  Job job = job_of(0, calls::LayerId::name);
  job.params = json::object();
  job.done = [self = shared_from_this()](const json& id) {
    self->ranks_[0].job = 0;
    if (self->failed_) return self->ended(0);
    const auto answered = id.is_object() ? id.find("id") : id.end();
    if (answered == id.end()) {
      self->fail({kInternalError, 4, "Rank 0 gave the ranks no name to meet under.", {}});
      return self->ended(0);
    }
    self->begin_all(*answered);
  };
  ranks_[0].job = ranks_[0].member.pool->submit(std::move(job));
}

void Gang::begin_all(const json& id) {
  begun_ = true;
  for (size_t r = 0; r < ranks_.size(); ++r) {
    Job job = job_of(r, calls::Layer::name);
    job.params["rank"] = r;
    job.params["id"] = id;
    job.params["device"] = ranks_[r].member.device;
    job.done = [self = shared_from_this(), r](json answer) {
      self->ranks_[r].answer = std::move(answer);
      self->ended(r);
    };
    ranks_[r].last_word = Clock::now();
    ranks_[r].job = ranks_[r].member.pool->submit(std::move(job));
  }
  wait_for_words();
}

Job Gang::job_of(size_t rank, const char* method) {
  Job job;
  job.method = method;
  job.params = params_;
  job.progress = [self = shared_from_this(), rank](const json& value) { self->heard(rank, value); };
  job.failed = [self = shared_from_this(), rank](const RpcError& error) {
    // What a rank says after another has failed is its way to the end.
    if (!self->failed_) {
      RpcError named = error;
      if (self->begun_ && error.code != cancelled_error().code) {
        named.message = "Rank " + std::to_string(rank) + " of " +
                        std::to_string(self->ranks_.size()) + " (" +
                        self->ranks_[rank].member.device + ") failed: " + error.message;
      }
      self->fail(named);
    }
    self->ended(rank);
  };
  return job;
}

void Gang::heard(size_t rank, const json& progress) {
  ranks_[rank].last_word = Clock::now();
  const auto stage = progress.is_object() ? progress.find("stage") : progress.end();
  if (stage != progress.end() && stage->is_string()) ranks_[rank].stage = stage->get<std::string>();
  if (rank == 0 && outcome_.progress) outcome_.progress(progress);
}

void Gang::wait_for_words() {
  const auto silent = [](const Rank& a, const Rank& b) {
    if ((a.job == 0) != (b.job == 0)) return b.job == 0;
    return a.last_word < b.last_word;
  };
  const Rank& longest = *std::ranges::min_element(ranks_, silent);
  if (longest.job == 0) return;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      limit_ - (Clock::now() - longest.last_word));
  if (left.count() > 0) {
    return silence_.start(static_cast<int>(left.count()) + 1,
                          [self = shared_from_this()] { self->wait_for_words(); });
  }
  const size_t rank = static_cast<size_t>(&longest - ranks_.data());
  fail({-32000,
        4,
        "Rank " + std::to_string(rank) + " of " + std::to_string(ranks_.size()) + " (" +
            longest.member.device + ") said nothing for " + std::to_string(limit_.count() / 1000) +
            " s while " + longest.stage +
            "; all ranks were ended. Choose a smaller layer, or allow more with --time-limit.",
        {}});
}

void Gang::fail(const RpcError& error) {
  if (failed_ || over_) return;
  failed_ = true;
  error_ = error;
  silence_.stop();
  for (const Rank& rank : ranks_) {
    if (rank.job != 0) rank.member.pool->cancel(rank.job);
  }
}

void Gang::cancel() { fail(cancelled_error()); }

void Gang::ended(size_t rank) {
  ranks_[rank].job = 0;
  const bool any = std::ranges::any_of(ranks_, [](const Rank& r) { return r.job != 0; });
  if (any || over_) return;
  over_ = true;
  silence_.stop();
  if (failed_) return outcome_.failed(error_);
  json ranks = json::array();
  for (const Rank& r : ranks_) {
    const auto told = r.answer.is_object() ? r.answer.find("ranks") : r.answer.end();
    if (told == r.answer.end() || !told->is_array()) {
      return outcome_.failed(
          {kInternalError, 4, "A rank's answer says nothing of what it did.", {}});
    }
    for (const json& one : *told) ranks.push_back(one);
  }
  outcome_.done({{"ranks", std::move(ranks)}});
}

}  // namespace tilescope::worker
