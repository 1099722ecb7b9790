#include "worker/engine/store/sqlite_tables.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "core/files/whole_file.h"
#include "worker/engine/compile/hash.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kSchema = 1;

// `file` is null of own results. `line` is a result as docs/recordings.md has it; what stands
// beside it is what lists and searches need, so that a list of hundreds reads no line.
constexpr const char* kTables = R"(
CREATE TABLE files(
  id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, used TEXT NOT NULL);
CREATE TABLE results(
  id INTEGER PRIMARY KEY, file INTEGER REFERENCES files(id) ON DELETE CASCADE,
  m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL, card TEXT NOT NULL,
  alpha REAL NOT NULL, beta REAL NOT NULL, bias INTEGER NOT NULL, kernel TEXT NOT NULL,
  request TEXT NOT NULL, date TEXT NOT NULL, tflops REAL, time_us REAL, spread REAL,
  library TEXT NOT NULL, library_tflops REAL, wrong INTEGER NOT NULL,
  arch TEXT NOT NULL, revision TEXT NOT NULL, source TEXT NOT NULL, line TEXT NOT NULL);
CREATE INDEX results_of ON results(m, n, k, card);
CREATE INDEX results_cards ON results(file, card, date);
CREATE TABLE layers(
  id INTEGER PRIMARY KEY, card TEXT NOT NULL, line TEXT NOT NULL);
CREATE INDEX layers_of ON layers(card);
CREATE TABLE proofs(
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  line TEXT NOT NULL);
CREATE INDEX proofs_of ON proofs(file);
CREATE TABLE taken(
  name TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
)";

int schema_of(Database& database) {
  Statement version(database, "PRAGMA user_version");
  return version.step() ? static_cast<int>(version.number(0)) : 0;
}

void take_results(Database& database, std::string_view text, int64_t file) {
  for (const std::string_view line : files::lines_of(text)) {
    if (const auto recording = read_recording(line)) put_result(database, *recording, line, file);
  }
}

void take_proofs(Database& database, std::string_view text, int64_t file) {
  Statement insert(database, "INSERT INTO proofs(file, line) VALUES(?, ?)");
  for (const std::string_view line : files::lines_of(text)) {
    if (read_proof(line)) insert.bind(file).bind(line).done();
  }
}

/// The lines of an older version's file that have not been taken; `take` says whether a line is
/// one.
void take_lines(Database& database, const fs::path& path, const std::string& name,
                const std::function<bool(std::string_view)>& take) {
  int64_t done = 0;
  {
    Statement before(database, "SELECT bytes FROM taken WHERE name = ?");
    if (before.bind(name).step()) done = before.number(0);
  }
  std::error_code error;
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  if (error || size == done) return;
  const auto text = files::read_file(path.string());
  if (!text) return;
  if (size < done) done = 0;  // another file by now
  for (const std::string_view line :
       files::lines_of(std::string_view(*text).substr(static_cast<size_t>(done)))) {
    const bool taken = take(line);
    const bool ends = line.data() + line.size() < text->data() + text->size();
    if (!taken && !ends) break;  // cut short; its writer may begin anew behind it
    done += static_cast<int64_t>(line.size()) + (ends ? 1 : 0);
  }
  Statement(database, "INSERT OR REPLACE INTO taken(name, bytes) VALUES(?, ?)")
      .bind(name)
      .bind(done)
      .done();
}

std::vector<fs::path> older_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".jsonl") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Lines of a table from its first on; if the file is damaged in between, from its last on, too.
std::vector<std::string> readable_lines(Database& database, const std::string& from) {
  std::vector<std::string> first, last;
  for (const bool backwards : {false, true}) {
    std::vector<std::string>& lines = backwards ? last : first;
    try {
      Statement all(database,
                    "SELECT line FROM " + from + " ORDER BY id" + (backwards ? " DESC" : ""));
      while (all.step()) lines.emplace_back(all.text(0));
      if (!backwards) return first;
    } catch (const SqliteError&) {  // as far as it goes
    }
  }
  first.insert(first.end(), last.rbegin(), last.rend());
  return first;
}

std::set<std::string> lines_there(Database& database, const std::string& from) {
  std::set<std::string> lines;
  Statement all(database, "SELECT line FROM " + from);
  while (all.step()) lines.emplace(all.text(0));
  return lines;
}

}  // namespace

void make_tables(Database& database) {
  const int there = schema_of(database);
  if (there > kSchema) {
    throw NewerSchema("was written by a newer Tilescope (format " + std::to_string(there) +
                      ", this one reads " + std::to_string(kSchema) + ")");
  }
  if (there == kSchema) return;
  Transaction transaction(database);
  if (schema_of(database) == 0) {  // nobody else was faster
    database.run(kTables);
    database.run(("PRAGMA user_version = " + std::to_string(kSchema)).c_str());
  }
  transaction.commit();
}

void put_result(Database& database, const Recording& recording, std::string_view line,
                int64_t file) {
  const StoredResult r = listed(recording);
  const Problem& p = r.request.problem;
  Statement insert(
      database,
      "INSERT INTO results(file, m, n, k, card, alpha, beta, bias, kernel, request, "
      "date, tflops, time_us, spread, library, library_tflops, wrong, arch, revision, "
      "source, line) VALUES(nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?)");
  insert.bind(file).bind(p.m).bind(p.n).bind(p.k).bind(r.card);
  insert.bind(static_cast<double>(p.alpha)).bind(static_cast<double>(p.beta)).bind(p.bias ? 1 : 0);
  insert.bind(r.request.kernel).bind(json(r.request).dump()).bind(r.date);
  insert.bind(r.tflops).bind(r.time_us).bind(r.spread).bind(r.library).bind(r.library_tflops);
  insert.bind(r.wrong ? 1 : 0).bind(r.arch).bind(r.revision).bind(r.source).bind(line).done();
}

void put_layer(Database& database, const StoredLayer& layer, std::string_view line) {
  Statement(database, "INSERT INTO layers(card, line) VALUES(?, ?)")
      .bind(layer.kept.card)
      .bind(line)
      .done();
}

std::map<int64_t, PresentFile> take_assets(Database& database,
                                           const std::vector<AssetFile>& files) {
  std::map<int64_t, PresentFile> present;
  int order = 0;
  for (const AssetFile& file : files) {
    const auto text = files::read_file(file.path);
    if (!text) continue;
    const std::string hash = Hash().add(*text).hex();
    Transaction transaction(database);
    Statement(database, "INSERT OR IGNORE INTO files(hash, used) VALUES(?, '')").bind(hash).done();
    Statement row(database, "SELECT id, used, used = date('now') FROM files WHERE hash = ?");
    if (!row.bind(hash).step()) continue;
    const int64_t id = row.number(0);
    if (row.text(1).empty()) {
      (file.proofs ? take_proofs : take_results)(database, *text, id);
    }
    if (row.number(2) == 0) {
      Statement(database, "UPDATE files SET used = date('now') WHERE id = ?").bind(id).done();
    }
    transaction.commit();
    present.try_emplace(id, PresentFile{file.place, order++});
  }
  if (!files.empty()) database.run("DELETE FROM files WHERE used < date('now', '-90 days')");
  return present;
}

void take_older_files(Database& database, const std::string& folder) {
  for (const fs::path& path : older_files(folder)) {
    Transaction transaction(database);
    take_lines(database, path, path.filename().string(), [&](std::string_view line) {
      const auto recording = read_recording(line);
      if (recording) put_result(database, *recording, line, 0);
      return recording.has_value();
    });
    transaction.commit();
  }
  for (const fs::path& path : older_files(fs::path(folder) / "layers")) {
    Transaction transaction(database);
    take_lines(database, path, "layers/" + path.filename().string(), [&](std::string_view line) {
      const auto layer = read_layer(line);
      if (layer) put_layer(database, *layer, line);
      return layer.has_value();
    });
    transaction.commit();
  }
}

int rescue(Database& database, const std::string& damaged) {
  int saved = 0;
  try {
    Database old(damaged, Database::Mode::read_alone);
    const auto results = readable_lines(old, "results NOT INDEXED WHERE file IS NULL");
    const auto layers = readable_lines(old, "layers NOT INDEXED");
    Transaction transaction(database);
    std::set<std::string> there = lines_there(database, "results WHERE file IS NULL");
    for (const std::string& line : results) {
      const auto recording = read_recording(line);
      if (!recording || !there.insert(line).second) continue;
      put_result(database, *recording, line, 0);
      ++saved;
    }
    there = lines_there(database, "layers");
    for (const std::string& line : layers) {
      const auto layer = read_layer(line);
      if (!layer || !there.insert(line).second) continue;
      put_layer(database, *layer, line);
      ++saved;
    }
    transaction.commit();
  } catch (const SqliteError&) {  // nothing of it can be read
  }
  return saved;
}

}  // namespace tilescope::worker
