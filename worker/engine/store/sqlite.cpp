#include "worker/engine/store/sqlite.h"

#include <sqlite3.h>

#include "worker/engine/store/left_out.h"

namespace tilescope::worker {
namespace {

constexpr int kBusyMs = 20'000;  // another process writes for some tenths of a second at most
constexpr int kMostValue = 2 * static_cast<int>(kMostLayerBytes);  // bytes of a row

}  // namespace

bool SqliteError::damaged() const {
  const int code = code_ & 0xff;  // without what SQLite says beyond it
  // Nothing that is written here is too big to be read.
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_TOOBIG;
}

bool SqliteError::in_sql() const { return (code_ & 0xff) == SQLITE_ERROR; }

SqliteError SqliteError::of_damage(const std::string& words) {
  return SqliteError(SQLITE_CORRUPT, words);
}

Database::Database(const std::string& path, Mode mode) {
  const int flags =
      mode == Mode::read_alone ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string words = db_ ? sqlite3_errmsg(db_) : sqlite3_errstr(code);
    sqlite3_close(db_);
    throw SqliteError(code, words);
  }
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_timeout(db_, kBusyMs);
  // The file may have come from elsewhere. The second is PRAGMA trusted_schema = OFF.
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, kMostValue);
}

Database::~Database() { sqlite3_close(db_); }

void Database::run(const char* sql) {
  const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw SqliteError(code, sqlite3_errmsg(db_));
}

int64_t Database::last_id() const { return sqlite3_last_insert_rowid(db_); }

Statement::Statement(const Database& database, std::string_view sql) : db_(database.get()) {
  check(sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::fail() const {
  throw SqliteError(sqlite3_extended_errcode(db_), sqlite3_errmsg(db_));
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail();
}

Statement& Statement::bind(int64_t value) {
  check(sqlite3_bind_int64(statement_, ++bound_, value));
  return *this;
}

Statement& Statement::bind(double value) {
  check(sqlite3_bind_double(statement_, ++bound_, value));
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  check(sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(const std::optional<double>& value) {
  if (value) return bind(*value);
  check(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail();
  return false;
}

void Statement::done() {
  while (step()) continue;
  check(sqlite3_reset(statement_));
  bound_ = 0;
}

int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::optional<double> Statement::maybe_real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string_view Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return text ? std::string_view(reinterpret_cast<const char*>(text), static_cast<size_t>(size))
              : std::string_view();
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const SqliteError&) {  // SQLite has undone it by itself
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace tilescope::worker
