// libraries: tilescope_worker_engine
// How long a store with a hundred thousand results takes to answer: those of assets/recordings,
// each again and again on other sizes, half of them as if measured here.
//   bench_store [RESULTS] [FOLDER OF RECORDINGS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/files/whole_file.h"
#include "worker/engine/store/asset_files.h"
#include "worker/engine/store/result_queries.h"
#include "worker/engine/store/sqlite_store.h"

namespace {

using namespace tilescope;
using namespace tilescope::worker;
namespace fs = std::filesystem;

/// Median of many, in milliseconds.
double milliseconds(const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < 51; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    all.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::nth_element(all.begin(), all.begin() + 25, all.end());
  return all[25];
}

}  // namespace

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const std::string recordings = argc > 2 ? argv[2] : "assets/recordings";
  std::vector<Recording> all;
  for (const AssetFile& file : asset_files({recordings})) {
    if (file.proofs) continue;
    for (Recording& r : read_recording_file(file.path)) all.push_back(std::move(r));
  }
  if (all.empty()) {
    std::fprintf(stderr, "no recordings in %s\n", recordings.c_str());
    return 2;
  }
  std::string folder = (fs::temp_directory_path() / "tilescope-store-XXXXXX").string();
  if (!mkdtemp(folder.data())) return 2;
  SourceHash built_in("");
  PresentSources sources(built_in, "");
  const ResultsQuery query = [&] {
    ResultsQuery most;  // of the size that most is known of
    most.of.problem = all.back().request.problem;
    most.of.problem.m = most.of.problem.n = most.of.problem.k = 4096;
    most.of.card = "NVIDIA H200";
    return most;
  }();
  SqliteStore store(folder, {recordings});
  std::printf("first answer, recordings read in   %8.2f ms\n", [&] {
    const auto begin = std::chrono::steady_clock::now();
    store.cards();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  }());
  {
    Database database(store_file(folder), Database::Mode::read_write);
    Transaction transaction(database);
    for (int i = 0; i < wanted; ++i) {
      Recording r = all[static_cast<size_t>(i) % all.size()];
      r.request.problem.m += 64 * (i / static_cast<int>(all.size()));
      const std::string line = recording_line(r.request, r.result, r.arch, r.revision, r.source);
      put_result(database, r, line, 0);
    }
    transaction.commit();
  }
  std::printf("results here and recorded          %8zu\n", [&] {
    size_t count = 0;
    for (const StoredCard& card : store.cards()) count += static_cast<size_t>(card.count);
    return count;
  }());
  const size_t found = store.results(query.of).size();
  std::printf("list of %4zu results of a size      %8.2f ms\n", found,
              milliseconds([&] { store.results(query.of); }));
  std::printf("which of them count (\"results\")    %8.2f ms\n",
              milliseconds([&] { known_results(store, query, sources); }));
  const KernelRequest one = all.front().request;
  std::printf("one launch (\"recorded\")            %8.2f ms\n",
              milliseconds([&] { find_recording(store, one); }));
  std::printf("cards (\"recordings\")               %8.2f ms\n",
              milliseconds([&] { store.cards(); }));
  std::printf("a result kept, synced              %8.2f ms\n", milliseconds([&] {
                store.keep(recording_line(one, all.front().result, "sm_90", "0", "0"));
              }));
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return 0;
}
