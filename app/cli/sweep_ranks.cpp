#include "app/cli/sweep_ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/cli_error.h"

namespace tilescope::cli {

using Lock = LockedFile::Lock;

SweepRanks::SweepRanks(const std::string& out, const Rank& rank, size_t tasks,
                       const std::string& what)
    : out_(out), me_(rank) {
  lock();
  // The same start, unless this rank has been there already: a launcher that counts anew.
  const bool ours = run_ == me_.run && size_ == me_.size && !ranks_[me_.rank].started;
  if (!ours && any_lives()) {
    throw CliError(kBadUsage, fmt::format("--out: another sweep with --launch is writing {}; wait "
                                          "for it, or choose another file",
                                          out_));
  }
  if (!ours) begin_anew(tasks, what);
  if (tasks_ != tasks || what_ != what) {
    throw CliError(kBadUsage, fmt::format("--launch {}: rank {} of {} has another sweep than the "
                                          "ranks before it; give all of them the same options",
                                          me_.launcher, me_.rank, me_.size));
  }
  file_ = open_out(rank_file(out_, me_.rank, me_.size), Lock::alone_or_none);
  if (!file_) {
    throw CliError(kBadUsage, fmt::format("--out: another process is writing {}; wait for it, or "
                                          "choose another file",
                                          rank_file(out_, me_.rank, me_.size)));
  }
  tell({{"started", me_.rank}});
  shared_.reset();
}

void SweepRanks::lock() {
  shared_ = open_out(ranks_file(out_), Lock::alone);
  catch_up();
}

void SweepRanks::take_told(const Json& line) {
  if (line.contains("run")) {
    run_ = line.value("run", ""), what_ = line.value("what", "");
    size_ = line.value("size", 0), tasks_ = line.value("tasks", size_t{0});
  }
  if (line.contains("started")) ranks_[line.value("started", 0)].started = true;
  if (line.contains("card")) card_ = line.value("card", "");
  if (line.contains("task")) taken_ = line.value("task", size_t{0}) + 1;
  if (line.contains("failed")) {
    Other& other = ranks_[line.value("failed", 0)];
    other.exit_code = line.value("code", 0), other.sentence = line.value("sentence", "");
  }
  if (line.contains("ended")) {
    Other& other = ranks_[line.value("ended", 0)];
    other.ended = true, other.resumed = line.value("resumed", 0);
  }
}

void SweepRanks::catch_up() {
  const std::string text = shared_->read_from(read_);
  size_t at = 0;
  // A line without an end was cut short, and its writer is gone.
  for (size_t end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    const Json line = parsed_line(text.substr(at, end - at));
    if (!line.is_object()) continue;
    try {
      take_told(line);
    } catch (const Json::exception&) {  // no rank of ours wrote that
    }
  }
  read_ += at;
}

void SweepRanks::begin_anew(size_t tasks, const std::string& what) {
  const auto alone = open_out(out_, Lock::alone_or_none);
  if (!alone) {
    throw CliError(kBadUsage,
                   fmt::format("--out: another sweep is writing {}; wait for it, or choose "
                               "another file",
                               out_));
  }
  merge_results(out_, rank_files(out_), [](const Json&) { return std::nullopt; });
  if (const std::string why_not = shared_->clear(); !why_not.empty()) {
    throw CliError(kFailed, fmt::format("{} could not be emptied ({}); remove it by hand",
                                        shared_->path(), why_not));
  }
  ranks_.clear();
  read_ = taken_ = 0;
  card_.clear();
  tell({{"run", me_.run}, {"size", me_.size}, {"tasks", tasks}, {"what", what}});
}

bool SweepRanks::lives(int rank) const { return files::is_held(rank_file(out_, rank, size_)); }

bool SweepRanks::any_lives() const {
  for (const std::string& file : rank_files(out_)) {
    if (files::is_held(file)) return true;
  }
  return false;
}

void SweepRanks::tell(const Json& line) {
  append_result(*shared_, line);
  catch_up();
}

void SweepRanks::agree_on_card(const std::string& name) {
  lock();
  if (card_.empty()) tell({{"card", name}});
  const std::string card = card_;
  shared_.reset();
  if (card == name) return;
  throw CliError(kMissing,
                 fmt::format("rank {} of {} has an {}, those before it an {}: the results "
                             "of a sweep are of one kind of card; start it on machines "
                             "that have the same",
                             me_.rank, me_.size, name, card));
}

std::optional<size_t> SweepRanks::next() {
  lock();
  std::optional<size_t> task;
  if (taken_ < tasks_) {
    task = taken_;
    tell({{"task", *task}, {"rank", me_.rank}});
  }
  shared_.reset();
  return task;
}

void SweepRanks::failed(int exit_code, const std::string& sentence) {
  lock();
  tell({{"failed", me_.rank}, {"code", exit_code}, {"sentence", sentence}});
  shared_.reset();
}

SweepRanks::End SweepRanks::end(int resumed, const Place& place) {
  lock();
  End end;
  end.last = true, end.resumed = resumed;
  std::vector<std::string> parts = {file_->path()};
  bool another_lives = false;
  for (int r = 0; r < size_; ++r) {
    const Other& other = ranks_[r];
    const std::string name = fmt::format("rank {} of {}", r, size_);
    if (other.exit_code != 0) {
      if (end.exit_code == 0) end.exit_code = other.exit_code;
      end.others.push_back(name + ": " + other.sentence);
    }
    if (r == me_.rank) continue;
    end.resumed += other.resumed;
    if (other.ended) continue;
    if (!other.started) {
      end.last = false;
      end.unseen.push_back(r);
    } else if (lives(r)) {
      end.last = false;
      another_lives = true;
    } else {
      parts.push_back(rank_file(out_, r, size_));
      if (other.exit_code == 0) end.others.push_back(name + " ended before it was done");
    }
  }
  if (another_lives) end.unseen.clear();  // they have time to come
  {
    const auto alone = open_out(out_, Lock::alone);
    merge_results(out_, parts, place);
  }
  tell({{"ended", me_.rank}, {"resumed", resumed}});
  if (end.last) ::unlink(ranks_file(out_).c_str());
  shared_.reset();
  return end;
}

}  // namespace tilescope::cli
