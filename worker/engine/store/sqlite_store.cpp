#include "worker/engine/store/sqlite_store.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "core/files/locked_file.h"
#include "core/files/whole_file.h"
#include "kernels/registry.h"
#include "worker/engine/store/plannable.h"
#include "worker/engine/store/sqlite_schema.h"

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;
using files::LockedFile;

constexpr int kTries = 3;

/// Another process has put a new file in the place of a damaged one.
struct Replaced {};

/// Held shared while a row is written, alone while a file is made, filled or set aside; where locks
/// are not known SQLite's own have to do.
std::optional<LockedFile> lock_of(const std::string& file, LockedFile::Lock how) {
  std::string why_not;
  return LockedFile::open(file + ".lock", how, &why_not);
}

std::string files_of(const std::map<int64_t, PresentFile>& present) {
  std::string list;
  for (const auto& [id, file] : present) list += (list.empty() ? "" : ", ") + std::to_string(id);
  return "(" + list + ")";
}

std::optional<double> figure_of_row(const Statement& row, int column) {
  const std::optional<double> figure = row.maybe_real(column);
  if (figure && !(std::isfinite(*figure) && *figure >= 0)) {
    throw std::invalid_argument("it holds a figure that cannot be");
  }
  return figure;
}

/// What the row's request says, if it is one of a kernel that this build knows. Throws
/// std::invalid_argument, a sentence without its end, where it is one that cannot be.
std::optional<StoredResult> row_of(const Statement& row, const ResultsOf& of) {
  StoredResult r;
  r.request.kernel = row.text(14);
  r.request.problem = of.problem;  // its size and factors are those that were asked for
  const KernelEntry* kernel = find_kernel(r.request.kernel.c_str());
  if (!kernel) return std::nullopt;
  unpack_request(row.text(2), r.request);
  if (const std::string why = why_no_plan(r.request, *kernel); !why.empty()) {
    throw std::invalid_argument(why);
  }
  r.id = row.number(0), r.own = row.is_null(1);
  r.card = row.text(3), r.date = row.text(4);
  r.tflops = figure_of_row(row, 5), r.time_us = figure_of_row(row, 6);
  r.spread = figure_of_row(row, 7), r.library_tflops = figure_of_row(row, 9);
  r.library = row.text(8);
  r.wrong = row.number(10) != 0;
  r.arch = row.text(11), r.revision = row.text(12), r.source = row.text(13);
  return r;
}

/// A pipe or a folder in the file's place: SQLite would wait for the one, and has one sentence for
/// all else that it cannot open.
void require_file(const struct stat& there) {
  if (S_ISREG(there.st_mode)) return;
  throw SqliteError::of_damage(S_ISDIR(there.st_mode) ? "it is a folder" : "it is no file");
}

void bind(Statement& statement, const ResultsOf& of) {
  const Problem& p = of.problem;
  statement.bind(p.m).bind(p.n).bind(p.k).bind(of.card);
  statement.bind(static_cast<double>(p.alpha)).bind(static_cast<double>(p.beta));
  statement.bind(p.bias ? 1 : 0);
  if (!of.kernel.empty()) statement.bind(of.kernel);
}

/// What SQLite says of the whole file; empty: it is whole. Throws SqliteError.
std::string damage_of(const std::string& file) {
  try {
    const Database database(file, Database::Mode::read_alone);
    Statement check(database, "PRAGMA quick_check(1)");
    if (!check.step()) return "it cannot be looked through";
    const std::string words(check.text(0));
    return words == "ok" ? "" : words;
  } catch (const SqliteError& error) {
    if (!error.damaged()) throw;
    return error.what();
  }
}

}  // namespace

std::string store_file(const std::string& folder) { return folder + "/store.sqlite"; }

SqliteStore::SqliteStore(std::string folder, std::vector<std::string> recordings)
    : folder_(std::move(folder)),
      file_(store_file(folder_)),
      recordings_(std::move(recordings)),
      assets_(recordings_) {}

bool SqliteStore::is_current() const {
  struct stat there {};
  return ::stat(file_.c_str(), &there) == 0 && there.st_ino == opened_.st_ino &&
         there.st_dev == opened_.st_dev;
}

Database& SqliteStore::open() {
  if (database_ && is_current()) {
    read_assets(*database_);
    return *database_;
  }
  database_.reset();
  fingerprint_ = "unread";
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  const auto alone = lock_of(file_, LockedFile::Lock::alone);
  if (::stat(file_.c_str(), &opened_) == 0) require_file(opened_);
  auto database = std::make_unique<Database>(file_, Database::Mode::read_write);
  if (::stat(file_.c_str(), &opened_) != 0) opened_ = {};
  try {
    // FULL: what was kept outlives a machine that goes down, too.
    database->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    make_tables(*database);
  } catch (const SqliteError& error) {
    if (error.in_sql()) throw SqliteError::of_damage(error.what());
    throw;
  }
  take_older_files(*database, folder_, notices_);
  if (!rescue_from_.empty()) {
    const int saved = rescue(*database, std::exchange(rescue_from_, {}));
    if (saved > 0) {
      notices_.add(std::to_string(saved) +
                   (saved == 1 ? " result of it could be read and is"
                               : " results of it could be read and are") +
                   " kept on.");
    }
  }
  read_assets(*database);
  database_ = std::move(database);
  return *database_;
}

void SqliteStore::read_assets(Database& database) {
  const std::vector<AssetFile> files = asset_files(recordings_);
  std::string now = fingerprint(files);
  if (now == fingerprint_) return;
  present_ = take_assets(database, files, notices_);
  fingerprint_ = std::move(now);
}

void SqliteStore::set_aside(const std::string& words) {
  const auto alone = lock_of(file_, LockedFile::Lock::alone);
  if (!is_current()) return;  // another process has done so
  const std::string aside = files::set_aside(file_, "damaged", {"-wal", "-shm"});
  if (aside.empty()) return;
  if (S_ISREG(opened_.st_mode)) rescue_from_ = aside;
  notices_.add("What is known of measurements, " + file_ + ", was damaged (" + words +
               "): it is kept as " + fs::path(aside).filename().string() +
               ", and a new one is made of the program's recordings.");
}

/// Asks once more where the file was damaged and a new one has taken its place.
template <class Ask>
void SqliteStore::with_database(const Ask& ask) {
  for (int tries = 1;; ++tries) {
    try {
      return ask(open());
    } catch (const Replaced&) {
      database_.reset();
      if (tries == kTries) throw SqliteError(0, "it is replaced again and again");
    } catch (const SqliteError& error) {
      database_.reset();
      if (!error.damaged() || tries == kTries) throw;
      set_aside(error.what());
    }
  }
}

template <class Answer>
Answer SqliteStore::asked(const std::function<Answer(Database&)>& ask,
                          const std::function<Answer()>& instead) {
  std::string words;
  try {
    Answer answer;
    with_database([&](Database& database) { answer = ask(database); });
    return answer;
  } catch (const NewerSchema& newer) {
    words = newer.what();
  } catch (const SqliteError& error) {
    words = std::string("cannot be read (") + error.what() + ")";
  }
  notices_.add(file_ + " " + words + ": what was measured here is not shown.");
  return instead();
}

std::string SqliteStore::written(const std::function<void(Database&)>& write) {
  const auto not_kept = [&](const std::string& words) {
    return "The result is not kept: " + file_ + " " + words + ".";
  };
  try {
    with_database([&](Database& database) {
      const auto shared = lock_of(file_, LockedFile::Lock::shared_in_turn);
      if (!is_current()) throw Replaced();
      write(database);
    });
    return {};
  } catch (const NewerSchema& newer) {
    return not_kept(newer.what());
  } catch (const SqliteError& error) {
    return not_kept(std::string("cannot be written (") + error.what() + ")");
  }
}

std::string SqliteStore::select(const ResultsOf& of) const {
  // +: not by an index of files, each of which has results of all sizes.
  std::string from = of.own ? "+file IS NULL" : "";
  if (of.recorded) from += (of.own ? " OR +file IN " : "+file IN ") + files_of(present_);
  if (from.empty()) from = "0";
  return std::string(
             "SELECT id, file, request, card, date, tflops, time_us, spread, library, "
             "library_tflops, wrong, arch, revision, source, kernel FROM results WHERE m = ? AND n "
             "= ? AND "
             "k = ? AND ") +
         (of.whole_name ? "card = ?" : "instr(card, ?) > 0") +
         " AND alpha = ? AND beta = ? AND bias = ?" + (of.kernel.empty() ? "" : " AND kernel = ?") +
         " AND (" + from + ") ORDER BY id";
}

/// Once: each problem that is looked at would have its own number of them.
void SqliteStore::tell_of_rows(const LeftOut& left_out) {
  if (left_out.count() == 0 || std::exchange(told_of_rows_, true)) return;
  notices_.add("There are results in " + file_ + " that cannot be (" + left_out.why_first() +
               "): they are not shown; measure anew.");
}

std::vector<StoredResult> SqliteStore::results(const ResultsOf& of) {
  const auto ask = [&](Database& database) {
    std::vector<std::pair<int, StoredResult>> found;  // behind the order of its file
    LeftOut left_out;
    Statement rows(database, select(of));
    bind(rows, of);
    while (rows.step()) {
      std::optional<StoredResult> result;
      try {
        result = row_of(rows, of);
      } catch (const std::invalid_argument& wrong) {  // kept by a version that knew others
        left_out.add(0, wrong.what());
      }
      if (!result) continue;
      int order = static_cast<int>(present_.size());  // own ones stand last
      if (!result->own) {
        const PresentFile& file = present_.at(rows.number(1));
        order = file.order, result->place = file.place;
      }
      found.emplace_back(order, std::move(*result));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<StoredResult> results;
    for (auto& [order, result] : found) results.push_back(std::move(result));
    tell_of_rows(left_out);
    return results;
  };
  return asked<std::vector<StoredResult>>(ask, [&] { return assets_.results(of); });
}

std::optional<Recording> SqliteStore::whole(const StoredResult& result) {
  const auto ask = [&](Database& database) {
    Statement line(database, "SELECT line FROM results WHERE id = ?");
    return line.bind(result.id).step() ? parse_recording(line.text(0)) : std::nullopt;
  };
  return asked<std::optional<Recording>>(ask, [&] { return assets_.whole(result); });
}

std::vector<StoredCard> SqliteStore::cards() {
  const auto ask = [&](Database& database) {
    std::vector<StoredCard> cards;
    Statement rows(database,
                   "SELECT card, max(date), count(*), file IS NULL AS own FROM results WHERE file "
                   "IS NULL OR file IN " +
                       files_of(present_) + " GROUP BY own, card ORDER BY own, card");
    while (rows.step()) {
      cards.push_back({std::string(rows.text(0)), std::string(rows.text(1)),
                       static_cast<int>(rows.number(2)), rows.number(3) != 0});
    }
    return cards;
  };
  return asked<std::vector<StoredCard>>(ask, [&] { return assets_.cards(); });
}

std::vector<StoredLayer> SqliteStore::layers(const std::string& card) {
  const auto ask = [&](Database& database) {
    std::vector<StoredLayer> layers;
    Statement rows(database, "SELECT line FROM layers WHERE card = ? ORDER BY id");
    rows.bind(card);
    while (rows.step()) {
      if (auto layer = read_layer(rows.text(0))) layers.push_back(std::move(*layer));
    }
    return layers;
  };
  return asked<std::vector<StoredLayer>>(ask, [] { return std::vector<StoredLayer>(); });
}

std::map<std::string, Proof> SqliteStore::proofs() {
  using Proofs = std::map<std::string, Proof>;
  const auto ask = [&](Database& database) {
    std::map<int, Proofs> by_place;
    std::map<int, int64_t> in_order;
    for (const auto& [id, file] : present_) in_order[file.order] = id;
    for (const auto& [order, id] : in_order) {
      Statement rows(database, "SELECT line FROM proofs WHERE file = ? ORDER BY id");
      rows.bind(id);
      while (rows.step()) {
        if (auto proof = read_proof(rows.text(0))) {
          put_proof(by_place[present_.at(id).place], std::move(*proof));
        }
      }
    }
    return by_place.empty() ? Proofs() : std::move(by_place.begin()->second);
  };
  return asked<Proofs>(ask, [&] { return assets_.proofs(); });
}

std::string SqliteStore::take_notice() {
  const std::string own = notices_.take(), assets = assets_.take_notice();
  return own + (own.empty() || assets.empty() ? "" : " ") + assets;
}

StoreHealth SqliteStore::health(bool repair) {
  StoreHealth health{.file = file_, .there = false, .damage = {}, .remark = {}};
  struct stat there {};
  if (::stat(file_.c_str(), &there) != 0) return health;
  health.there = true;
  try {
    health.damage = S_ISREG(there.st_mode) ? damage_of(file_) : "it is no file";
    if (!repair || health.damage.empty()) return health;
    database_.reset();
    opened_ = there;
    set_aside(health.damage);
    open();
  } catch (const NewerSchema& newer) {
    health.remark = "It " + std::string(newer.what()) + ".";
  } catch (const SqliteError& error) {
    health.remark = std::string("It cannot be looked through (") + error.what() + ").";
  }
  return health;
}

std::string SqliteStore::keep(const std::string& line) {
  std::string why;
  const auto recording = read_recording(line, &why);
  if (!recording) return not_kept_since(why);
  return written([&](Database& database) { put_result(database, *recording, line, 0); });
}

std::string SqliteStore::keep_layer(const StoredLayer& layer) {
  const std::string line = layer_line(layer);
  if (const std::string why = why_too_long(line, kMostLayerBytes); !why.empty()) {
    return not_kept_since(why);
  }
  return written([&](Database& database) { put_layer(database, layer, line); });
}

std::vector<std::string> SqliteStore::plan_of(const ResultsOf& of) {
  std::vector<std::string> steps;
  with_database([&](Database& database) {
    Statement plan(database, "EXPLAIN QUERY PLAN " + select(of));
    bind(plan, of);
    while (plan.step()) steps.emplace_back(plan.text(3));
  });
  return steps;
}

std::unique_ptr<Store> open_store(const std::string& folder, std::vector<std::string> recordings) {
  return std::make_unique<SqliteStore>(folder, std::move(recordings));
}

}  // namespace tilescope::worker
