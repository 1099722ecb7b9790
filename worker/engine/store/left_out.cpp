#include "worker/engine/store/left_out.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/files/whole_file.h"
#include "core/model/format.h"

namespace tilescope::worker {
namespace {

constexpr size_t kMostWaiting = 2'000;  // characters of sentences that are told at once
constexpr size_t kMostTold = 1'000;     // sentences that are remembered

/// "it has 70,000 bytes, of at most 65,536"
std::string too_many_bytes(uint64_t bytes, uint64_t most) {
  return "it has " + model::grouped(static_cast<long long>(bytes)) + " bytes, of at most " +
         model::grouped(static_cast<long long>(most));
}

}  // namespace

void Notices::add(const std::string& sentence) {
  if (sentence.empty() || told_.contains(sentence)) return;
  if (told_.size() >= kMostTold) told_.clear();
  told_.insert(sentence);
  if (!waiting_.empty() && waiting_.size() + sentence.size() > kMostWaiting) {
    more_ = true;
    return;
  }
  waiting_ += (waiting_.empty() ? "" : " ") + sentence;
}

std::string Notices::take() {
  if (std::exchange(more_, false)) waiting_ += " There are more files like these.";
  return std::exchange(waiting_, {});
}

void LeftOut::add(size_t number, std::string why) {
  if (count_++ > 0) return;
  first_ = number;
  if (why.ends_with('.')) why.pop_back();
  why_ = std::move(why);
}

std::string LeftOut::sentence(const std::string& file) const {
  if (count_ == 0) return {};
  const bool one = count_ == 1;
  const std::string line = first_ > 0 ? "line " + std::to_string(first_) : "";
  const std::string which = one ? line : line.empty() ? "the first" : "the first, " + line;
  return model::grouped(count_) + (one ? " line of " : " lines of ") + file +
         (one ? " is left out; correct or remove it ("
              : " are left out; correct or remove them (") +
         which + (which.empty() ? "" : ": ") + why_ + ").";
}

void each_line(std::string_view text, size_t most, const TakeLine& take, LeftOut& left_out,
               size_t first) {
  for (size_t number = first; !text.empty(); number += first > 0 ? 1 : 0) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    std::string why = why_too_long(line, most);
    if (why.empty()) why = take(line);
    if (!why.empty()) left_out.add(number, std::move(why));
  }
}

std::optional<std::string> text_of_lines(const std::string& file, std::string* why_not) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(file, error);
  if (!error && bytes > kMostFileBytes) {
    *why_not = file + " is left out: " + too_many_bytes(bytes, kMostFileBytes) +
               "; make several files of it.";
    return std::nullopt;
  }
  return files::read_file(file, kMostFileBytes, why_not);
}

std::string not_kept_since(std::string why) {
  if (why.ends_with('.')) why.pop_back();
  return "The result is not kept: " + why + ".";
}

std::string why_too_long(std::string_view line, size_t most) {
  return line.size() <= most ? std::string() : too_many_bytes(line.size(), most);
}

}  // namespace tilescope::worker
