// Where results, layers and proofs are kept: own ones, measured by this machine's cards, and those
// recorded elsewhere. Who asks does not know which of the three it is: one file of SQLite for each
// user (sqlite_store.h), the files of assets/recordings to be read alone (asset_store.h), or
// memory.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/store/recording.h"
#include "worker/messages/messages_layer.h"
#include "worker/messages/messages_proof.h"

namespace tilescope::worker {

/// Which results are asked for: those of a size, factors and bias, whatever their types and layout.
struct ResultsOf {
  Problem problem;
  std::string card;        // its name
  bool whole_name = true;  // else `card` is a part of it, empty of any
  std::string kernel;      // empty: of all
  bool own = true, recorded = true;
};

/// A result as lists show it; Store::whole() has the rest. Its kernel is one that this build knows.
struct StoredResult {
  KernelRequest request;
  bool own = false;
  int place = 0;   // of recorded ones: the folder, in the order in which folders are looked through
  int64_t id = 0;  // in its store; negative in memory
  std::string card, date;
  std::optional<double> tflops, time_us, spread, library_tflops;
  std::string library;                 // "cuBLASLt 13.1"; empty: not compared with one
  bool wrong = false;                  // C was compared, and not right
  std::string arch, revision, source;  // as Recording has them
};

/// A card that results are known of.
struct StoredCard {
  std::string name, date;  // of the newest
  int count = 0;
  bool own = false;
};

struct StoredLayer {
  KeptLayer kept;
  std::string source;  // hash over all steps (layer_queries.h)
};

/// How the file of own results is.
struct StoreHealth {
  std::string file;  // empty: the store has none
  bool there = false;
  std::string damage;  // what is wrong with it; empty: nothing
  std::string remark;  // a sentence: why it cannot be looked at
};

class Store {
 public:
  virtual ~Store() = default;
  /// Recorded ones first, folder by folder in the order of files and lines; then own ones in the
  /// order in which they were kept.
  virtual std::vector<StoredResult> results(const ResultsOf& of) = 0;
  /// Nothing if it is gone meanwhile.
  virtual std::optional<Recording> whole(const StoredResult& result) = 0;
  /// By name, recorded ones first.
  virtual std::vector<StoredCard> cards() = 0;
  /// In the order in which they were kept.
  virtual std::vector<StoredLayer> layers(const std::string& card) = 0;
  /// Atom → its best recorded proof, of the first folder that has any.
  virtual std::map<std::string, Proof> proofs() = 0;

  /// Keeps a result of this machine, a line as recording_line() makes it: once this has returned it
  /// is there whatever ends the process. Empty, or why it is not kept, in a sentence.
  virtual std::string keep(const std::string& line) = 0;
  virtual std::string keep_layer(const StoredLayer& layer) = 0;

  /// What the person should know of the store itself: that it was damaged, or which lines of which
  /// file are left out. Each is told once.
  virtual std::string take_notice() { return {}; }

  /// Looks through all of the file. `repair`: a damaged one is set aside, and what can be read of
  /// it is put into a new one; take_notice() tells.
  virtual StoreHealth health(bool /*repair*/) { return {}; }
};

/// A person's own, in this folder, with the recordings of those folders beside it.
std::unique_ptr<Store> open_store(const std::string& folder, std::vector<std::string> recordings);

/// What lists show of a recording.
StoredResult listed(const Recording& recording);

std::string layer_line(const StoredLayer& layer);
/// Nothing: cut short, of another version, longer than kMostLayerBytes, or of steps, tiles or cards
/// that cannot be; then `why_not` gets a sentence without its end. Its kernels may be ones that
/// this build does not know.
std::optional<StoredLayer> read_layer(std::string_view line, std::string* why_not = nullptr);

/// Puts a proof in, unless there is a better one of its atom: one of a GPU stands before one of the
/// emulator, then the newest; one that found the map wrong counts as any other.
void put_proof(std::map<std::string, Proof>& best, Proof proof);
/// Nothing: not a proof, or longer than kMostLineBytes; then `why_not` gets a sentence without its
/// end. Or one that compared nothing, which is no mistake.
std::optional<Proof> read_proof(std::string_view line, std::string* why_not = nullptr);

/// True if a result of this is what `of` asks for.
bool is_of(const ResultsOf& of, const KernelRequest& request, const std::string& card);

}  // namespace tilescope::worker
