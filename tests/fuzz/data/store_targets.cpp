// The store: its lines, and the file of SQLite that anything may have happened to.
#include <filesystem>
#include <fstream>

#include "core/files/scratch_folder.h"
#include "data_target.h"
#include "worker/engine/store/sqlite_store.h"

namespace tilescope::fuzz {
namespace {

bool read_result_line(std::string_view bytes) {
  std::string why;
  const auto recording = worker::read_recording(bytes, &why);
  if (!recording && why.empty() && bytes.size() > 2 && bytes[0] == '{') {
    throw Found("left out without a word: " + std::string(bytes));
  }
  (void)worker::parse_recording(bytes);
  if (recording) (void)worker::same_launch(recording->request, recording->request);
  return recording.has_value();
}

bool read_layer_line(std::string_view bytes) {
  const auto layer = worker::read_layer(bytes);
  if (!layer) return false;
  const std::string line = worker::layer_line(*layer);
  std::string why;
  const auto again = worker::read_layer(line, &why);
  if (!again) throw Found("it does not open again, " + why + ": " + line);
  if (worker::layer_line(*again) != line) throw Found("another layer when it is written: " + line);
  return true;
}

bool read_proof_line(std::string_view bytes) {
  auto proof = worker::read_proof(bytes);
  if (!proof) return false;
  std::map<std::string, worker::Proof> best;
  worker::put_proof(best, *proof);
  worker::put_proof(best, *std::move(proof));
  return true;
}

bool read_database(std::string_view bytes) {
  namespace fs = std::filesystem;
  static const files::ScratchFolder kScratch;
  const fs::path folder = fs::path(kScratch.path()) / "store";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(worker::store_file(folder.string()), std::ios::binary) << bytes;
  worker::SqliteStore store(folder.string(), {});
  const bool whole = store.health(false).damage.empty();
  static const std::string kLine = result_seeds().front();
  static const Problem kProblem = worker::parse_recording(kLine)->request.problem;
  worker::ResultsOf any;
  any.whole_name = false;
  any.problem = kProblem;
  for (const worker::StoredResult& result : store.results(any)) (void)store.whole(result);
  (void)store.cards();
  (void)store.layers("");
  (void)store.proofs();
  (void)store.take_notice();
  // Set aside where it was damaged; what is kept from now on is there.
  (void)store.health(true);
  if (const std::string why = store.keep(kLine); !why.empty()) return false;
  if (store.results(any).empty()) throw Found("a result that was kept is not there");
  return whole;
}

}  // namespace

std::vector<DataTarget> store_targets() {
  return {
      {"recordings", 8000, read_result_line, result_seeds},
      {"layers", 20000, read_layer_line, layer_seeds},
      {"proofs", 4000, read_proof_line, proof_seeds},
      {"databases", 40000, read_database, database_seeds},
  };
}

}  // namespace tilescope::fuzz
