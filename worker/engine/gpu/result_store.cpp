#include "worker/engine/gpu/result_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "worker/engine/compile/source_hash.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/recorded_result.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

bool ends_in_a_line(int fd) {
  const off_t size = ::lseek(fd, 0, SEEK_END);
  char last = '\n';
  return size <= 0 || ::pread(fd, &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

std::string store_file(const std::string& folder, const std::string& card) {
  std::string name;
  for (const char c : card) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '_';
  }
  return folder + "/" + name + ".jsonl";
}

std::string stored_line(const KernelRequest& request, const MeasureResult& m,
                        const std::string& arch, const std::string& revision,
                        const std::string& source) {
  nlohmann::ordered_json line =
      recorded_request(request, find_kernel(request.kernel.c_str())->sliders);
  line["sms"] = request.sms;
  put_recorded(line, m);
  line["arch"] = arch, line["revision"] = revision, line["source"] = source;
  return line.dump();
}

std::string append_line(const std::string& file, const std::string& line) {
  const auto failed = [&file](const char* what) {
    return "The result is not kept: " + file + " cannot be " + what + " (" + std::strerror(errno) +
           ").";
  };
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return failed("opened");
  const std::string text = (ends_in_a_line(fd) ? "" : "\n") + line + "\n";
  ssize_t written = 0;
  do {
    written = ::write(fd, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  const std::string sentence =
      written == static_cast<ssize_t>(text.size()) ? std::string() : failed("written");
  ::close(fd);
  return sentence;
}

namespace {

/// Results of one query, the best of each kernel, tile and problem.
class Known {
 public:
  explicit Known(const ResultsQuery& query)
      : query_(query), present_(query.kernel_dir), built_in_("") {}

  void add(const Recording& r, bool own) {
    const Problem &p = r.request.problem, &asked = query_.problem;
    if (r.result.device_name != query_.name || p.m != asked.m || p.n != asked.n || p.k != asked.k ||
        p.alpha != asked.alpha || p.beta != asked.beta || p.bias != asked.bias ||
        !r.result.tflops || !r.result.time_us || (r.result.verified && !r.result.verified->ok)) {
      return;
    }
    KernelRequest here = r.request;
    here.sms = query_.sms;
    if (!same_launch(r.request, here)) return;
    const KernelEntry& kernel = *find_kernel(r.request.kernel.c_str());
    // Recordings are of the kernels that are built in.
    if (!own && present_.headers(kernel) != built_in_.headers(kernel)) return;
    KnownResult known;
    known.request = std::move(here);
    known.measured = known.judged = own;
    known.older = own && r.source != present_.of(r.request, kernel);
    known.date = r.result.date;
    known.tflops = *r.result.tflops, known.time_us = *r.result.time_us;
    known.spread = r.result.spread;
    known.library = r.result.library.value_or("");
    known.library_tflops = r.result.library_tflops;
    known.arch = r.arch, known.revision = r.revision;
    keep(std::move(known));
  }

  std::vector<KnownResult> take() {
    std::vector<KnownResult> list;
    for (auto& [key, known] : best_) list.push_back(std::move(known));
    return list;
  }

 private:
  void keep(KnownResult known) {
    const auto rank = [](const KnownResult& r) {
      return std::tuple(r.measured && !r.older, r.date);
    };
    const std::string key =
        known.request.kernel + json(known.request.tile).dump() + json(known.request.problem).dump();
    const auto [at, is_new] = best_.try_emplace(key, known);
    if (is_new || rank(known) < rank(at->second)) return;
    // Of one day the own file's last line is the newest; of recordings find_recording() has the
    // first, and no other figure may stand beside that one.
    if (rank(known) == rank(at->second) && !known.measured) return;
    at->second = std::move(known);
  }

  const ResultsQuery& query_;
  SourceHash present_, built_in_;
  std::map<std::string, KnownResult> best_;
};

}  // namespace

std::vector<KnownResult> known_results(const ResultsQuery& query,
                                       const std::vector<std::string>& recordings) {
  Known known(query);
  for (const std::string& folder : recordings) {
    for (const Recording& r : read_recordings(folder)) known.add(r, false);
  }
  if (!query.store.empty()) {
    for (const Recording& r : read_recording_file(store_file(query.store, query.name))) {
      known.add(r, true);
    }
  }
  return known.take();
}

std::optional<Recording> own_result(const std::string& folder, const std::string& card,
                                    const KernelRequest& request, const std::string& kernel_dir) {
  const KernelEntry* kernel = find_kernel(request.kernel.c_str());
  if (!kernel) return std::nullopt;
  SourceHash present(kernel_dir);
  std::optional<Recording> best;
  const auto rank = [&](const Recording& r) {
    return std::tuple(r.source == present.of(r.request, *kernel), r.result.date);
  };
  for (Recording& r : read_recording_file(store_file(folder, card))) {
    const bool same = r.result.device_name == card && r.request.kernel == request.kernel &&
                      r.request.tile == request.tile && r.request.problem == request.problem &&
                      same_launch(r.request, request);
    if (same && (!best || rank(r) >= rank(*best))) best = std::move(r);
  }
  return best;
}

std::vector<OwnCard> own_cards(const std::string& folder) {
  std::map<std::string, OwnCard> cards;
  std::error_code error;
  for (const auto& item : std::filesystem::directory_iterator(folder, error)) {
    if (item.path().extension() != ".jsonl") continue;
    for (const Recording& r : read_recording_file(item.path().string())) {
      OwnCard& card = cards[r.result.device_name];
      card.name = r.result.device_name;
      card.date = std::max(card.date, r.result.date);
      ++card.count;
    }
  }
  std::vector<OwnCard> list;
  for (auto& [name, card] : cards) list.push_back(std::move(card));
  return list;
}

}  // namespace tilescope::worker
