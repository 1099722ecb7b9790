#include "app/cli/sweep_launched.h"

#include <fmt/format.h>

#include <optional>

#include "app/cli/cli_error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::cli {
namespace {

/// Equal for equal sweeps, wherever each rank measures.
std::string what_of(const std::vector<Request>& requests, int climb) {
  std::string text = std::to_string(climb);
  for (const Request& r : requests) text += nlohmann::json(r.message()).dump();
  return fmt::format("{:016x}", std::hash<std::string>()(text));
}

template <class List>
std::string joined(const List& list, size_t most, const char* between) {
  std::string text;
  size_t n = 0;
  for (const auto& item : list) {
    if (n++ == most) return text + between + "…";
    text += fmt::format("{}{}", text.empty() ? "" : between, item);
  }
  return text;
}

/// What this rank has to say when others are still to end.
std::string own_words(const SweepOptions& o, const Rank& rank, const SweepRanks::End& end) {
  std::string text = fmt::format("rank {} of {} is done", rank.rank, rank.size);
  if (end.unseen.empty()) return text;
  const bool one = end.unseen.size() == 1;
  return text + fmt::format(
                    "; {} {} {} not been seen so far: where ranks run on several machines, "
                    "--out {} must lie in a folder that they share",
                    one ? "rank" : "ranks", joined(end.unseen, 8, ", "), one ? "has" : "have",
                    o.out);
}

}  // namespace

SweepRanks join_ranks(const SweepOptions& o, const std::vector<Request>& requests,
                      const Rank& rank) {
  if (o.climb > 0 && requests.size() == 1 && rank.size > 1) {
    throw CliError(kBadUsage,
                   fmt::format("--climb goes from one tile to the next, so {} ranks cannot share "
                               "one start; give several --tile or --size, or run it without "
                               "--launch",
                               rank.size));
  }
  return {o.out, rank, requests.size(), what_of(requests, o.climb)};
}

int run_launched(const SweepOptions& o, const Globals& globals,
                 const std::vector<Request>& requests, const Rank& rank, SweepRanks& ranks) {
  WorkerSession worker(o.request);
  std::optional<Sweep> sweep;
  std::optional<CliError> failure;
  try {
    sweep.emplace(o, globals, worker, rank.local);
    if (!sweep->card().empty()) ranks.agree_on_card(sweep->card());
    sweep->save_in(ranks.file());
    while (const auto task = ranks.next()) sweep->run(requests[*task]);
  } catch (const CliError& error) {
    failure = error;
  } catch (const std::exception& error) {
    failure = CliError(kFailed, error.what());
  }
  if (failure) ranks.failed(failure->exit_code(), failure->what());
  const auto nowhere = [](const Json&) -> std::optional<size_t> { return std::nullopt; };
  const SweepRanks::End end =
      ranks.end(sweep ? sweep->resumed() : 0, sweep ? sweep->place_of(requests) : Place(nowhere));
  if (!end.last) {
    if (failure) {
      message(
          fmt::format("tilescope-cli: rank {} of {}: {}", rank.rank, rank.size, failure->what()));
    } else {
      message(own_words(o, rank, end));
    }
    return kOk;
  }
  if (!sweep) throw CliError(*failure);
  const std::vector<std::string> left = sweep->gather(requests);
  if (!left.empty()) {
    throw CliError(end.exit_code == 0 ? kFailed : end.exit_code,
                   fmt::format("{} of {} tiles are left ({}), since {}; what was measured is in "
                               "{}, and the same command goes on with it",
                               left.size(), requests.size(), joined(left, 3, "; "),
                               end.others.empty() ? "a rank ended before it was done"
                                                  : joined(end.others, 3, "; "),
                               o.out));
  }
  return sweep->end(end.resumed, rank.size == 1 ? "" : fmt::format(" by {} ranks", rank.size));
}

}  // namespace tilescope::cli
