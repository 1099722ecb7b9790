// SQLite's C interface as two objects. What it refuses is thrown as a SqliteError.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tilescope::worker {

class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& words) : std::runtime_error(words), code_(code) {}
  /// Of a file that SQLite can read, and that is not what is written here.
  static SqliteError of_damage(const std::string& words);
  /// The file is not what SQLite wrote: no repetition will help.
  bool damaged() const;
  /// What was asked of it is not there, or not what it should be.
  bool in_sql() const;

 private:
  int code_;
};

class Database {
 public:
  enum class Mode { read_write, read_alone };
  /// What stands in the file as code (views, triggers, expressions) may do nothing beyond it.
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql);
  int64_t last_id() const;
  sqlite3* get() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

/// One statement. Values are bound in the order of their question marks, columns read by number.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int64_t value);
  Statement& bind(int value) { return bind(static_cast<int64_t>(value)); }
  Statement& bind(double value);
  Statement& bind(std::string_view text);
  Statement& bind(const std::string& text) { return bind(std::string_view(text)); }
  Statement& bind(const char* text) { return bind(std::string_view(text)); }
  Statement& bind(const std::optional<double>& value);
  /// True while there is a row.
  bool step();
  /// Runs it, and makes it ready for other values.
  void done();

  int64_t number(int column) const;
  double real(int column) const;
  std::optional<double> maybe_real(int column) const;
  bool is_null(int column) const;
  /// Until the next step().
  std::string_view text(int column) const;

 private:
  [[noreturn]] void fail() const;
  void check(int code) const;
  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// All or nothing, beside other processes: undone unless commit() was reached.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database_.run("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace tilescope::worker
