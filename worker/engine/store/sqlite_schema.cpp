#include "worker/engine/store/sqlite_schema.h"

#include <algorithm>
#include <map>

namespace tilescope::worker {
namespace {

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

int schema_of(const Database& database) {
  Statement version(database, "PRAGMA user_version");
  return version.step() ? static_cast<int>(version.number(0)) : 0;
}

/// "card TEXT", "id INTEGER, key": without columns that are made up as they are read, which this
/// pragma leaves out.
std::vector<std::string> columns_of(const Database& database, const std::string& table) {
  std::vector<std::string> columns;
  Statement info(database, "SELECT name, type, pk FROM pragma_table_info(?)");
  info.bind(table);
  while (info.step()) {
    columns.push_back(std::string(info.text(0)) + " " + std::string(info.text(1)) +
                      (info.number(2) > 0 ? ", key" : ""));
  }
  return columns;
}

/// A view has no page, nor has a table that some module makes up.
bool is_of_rows(const Database& database, const std::string& table) {
  Statement found(database,
                  "SELECT 1 FROM sqlite_master WHERE name = ? AND type = 'table' AND rootpage > 0");
  return found.bind(table).step();
}

using Tables = std::map<std::string, std::vector<std::string>>;

/// What a file of this version has: as it would be made now.
const Tables& needed_tables() {
  static const Tables kNeeded = [] {
    Database fresh(":memory:", Database::Mode::read_write);
    fresh.run(kTables);
    Tables tables;
    Statement names(fresh, "SELECT name FROM sqlite_master WHERE type = 'table'");
    while (names.step()) {
      const std::string name(names.text(0));
      tables[name] = columns_of(fresh, name);
    }
    return tables;
  }();
  return kNeeded;
}

/// Empty: all is there that this version needs.
std::string why_not_ours(const Database& database) {
  for (const auto& [table, needed] : needed_tables()) {
    if (!is_of_rows(database, table)) return "it has no table " + table;
    const std::vector<std::string> there = columns_of(database, table);
    for (const std::string& column : needed) {
      if (std::ranges::find(there, column) != there.end()) continue;
      return "its table " + table + " has no column " + column.substr(0, column.find(' '));
    }
  }
  Statement trigger(database, "SELECT 1 FROM sqlite_master WHERE type = 'trigger'");
  return trigger.step() ? "it has triggers, which no version makes" : "";
}

bool has_any_table(const Database& database) {
  Statement any(database, "SELECT 1 FROM sqlite_master");
  return any.step();
}

}  // namespace

void make_tables(Database& database) {
  if (schema_of(database) == 0) {
    Transaction transaction(database);
    if (schema_of(database) == 0) {  // nobody else was faster
      if (has_any_table(database)) throw SqliteError::of_damage("it is of another program");
      database.run(kTables);
      database.run(("PRAGMA user_version = " + std::to_string(kSchema)).c_str());
    }
    transaction.commit();
  }
  const int there = schema_of(database);
  if (there > kSchema) {
    throw NewerSchema("was written by a newer Tilescope (format " + std::to_string(there) +
                      ", this one reads " + std::to_string(kSchema) + ")");
  }
  const std::string why = there < 0
                              ? "its format is " + std::to_string(there) + ", which there never was"
                              : why_not_ours(database);
  if (!why.empty()) throw SqliteError::of_damage(why);
}

bool has_columns(const Database& database, const std::string& table,
                 const std::vector<std::string>& columns) {
  if (!is_of_rows(database, table)) return false;
  const std::vector<std::string> there = columns_of(database, table);
  return std::ranges::all_of(columns, [&](const std::string& column) {
    return std::ranges::any_of(
        there, [&](const std::string& one) { return one.substr(0, one.find(' ')) == column; });
  });
}

}  // namespace tilescope::worker
