// A file that SQLite can read and that is not what is written here: set aside as a damaged one is,
// with the same sentence, and a new one is begun. Nothing that stands in it as code is run.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/worker_engine/store_support.h"
#include "worker/engine/store/sqlite_schema.h"
#include "worker/engine/store/sqlite_store.h"

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;

struct StoreSchema : ::testing::Test {
  TemporaryFolder folder;
  std::string own = folder.path() + "/results", assets = folder.path() + "/assets";
  std::string file = store_file(own);

  StoreSchema() {
    fs::create_directories(own);
    fs::create_directories(assets);
    write_text(assets + "/1.jsonl", result_line(5, 4096) + "\n");
  }
  /// A file as it is written here, with one own result, and then something else.
  void make_odd(const char* sql) {
    {
      SqliteStore store(own, {});
      ASSERT_EQ(store.keep(result_line(1)), "");
    }
    Database database(file, Database::Mode::read_write);
    database.run(sql);
  }
  int aside() const {
    int count = 0;
    for (const auto& item : fs::directory_iterator(own)) {
      const std::string name = item.path().filename().string();
      const bool belongs = name.ends_with("-wal") || name.ends_with("-shm");
      count += name.starts_with("store.sqlite.damaged-") && !belongs ? 1 : 0;
    }
    return count;
  }
  /// A store is there again: what is said, and how many own results there are.
  void expect_mended(const std::string& words, size_t kept_on) {
    SqliteStore store(own, {assets});
    EXPECT_FALSE(store.results(results_of_cube(4096)).empty()) << "recordings are there";
    const std::string notice = store.take_notice();
    EXPECT_EQ(notice.find("What is known of measurements, " + file + ", was damaged (" + words +
                          "): it is kept as store.sqlite.damaged-"),
              0u)
        << notice;
    EXPECT_EQ(notice.find("could be read and") != notice.npos, kept_on > 0) << notice;
    EXPECT_EQ(aside(), 1);
    ResultsOf of_own = results_of_cube();
    of_own.recorded = false;
    EXPECT_EQ(store.results(of_own).size(), kept_on);
    EXPECT_EQ(store.keep(result_line(2)), "");
    EXPECT_EQ(store.results(of_own).size(), kept_on + 1);
    EXPECT_EQ(store.take_notice(), "");
    SqliteStore later(own, {assets});
    EXPECT_EQ(later.results(of_own).size(), kept_on + 1);
    EXPECT_EQ(later.take_notice(), "");
    EXPECT_EQ(aside(), 1) << "for good";
  }
};

TEST_F(StoreSchema, AVersionWithoutTablesIsSetAside) {
  Database(file, Database::Mode::read_write).run("PRAGMA user_version = 1");
  expect_mended("it has no table files", 0);
}

TEST_F(StoreSchema, AVersionThatThereNeverWasIsSetAside) {
  make_odd("PRAGMA user_version = -5");
  expect_mended("its format is -5, which there never was", 1);
}

TEST_F(StoreSchema, OneThatHasLostItsVersionIsSetAside) {
  make_odd("PRAGMA user_version = 0");
  expect_mended("it is of another program", 1);
}

TEST_F(StoreSchema, OneOfAnotherProgramIsSetAside) {
  Database(file, Database::Mode::read_write).run("CREATE TABLE songs(name TEXT)");
  expect_mended("it is of another program", 0);
}

TEST_F(StoreSchema, ATableThatIsMissingIsSeen) {
  make_odd("DROP TABLE layers");
  expect_mended("it has no table layers", 1);
}

TEST_F(StoreSchema, AColumnThatIsMissingIsSeen) {
  make_odd("ALTER TABLE results DROP COLUMN library_tflops");
  expect_mended("its table results has no column library_tflops", 1);
}

// It would be 0, as the file of own results is.
TEST_F(StoreSchema, ANumberThatIsNoKeyIsSeen) {
  make_odd(
      "DROP TABLE files; CREATE TABLE files(id INTEGER, hash TEXT NOT NULL UNIQUE, used TEXT)");
  expect_mended("its table files has no column id", 1);
}

// Read, it would never end.
TEST_F(StoreSchema, AViewInPlaceOfATableIsNotRead) {
  make_odd(
      "DROP TABLE results; CREATE VIEW results AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL "
      "SELECT id + 1 FROM n) SELECT id, NULL AS file, '' AS line FROM n");
  expect_mended("it has no table results", 0);
}

TEST_F(StoreSchema, AColumnThatIsMadeUpIsNotRead) {
  make_odd(
      "DROP TABLE layers; CREATE TABLE layers(id INTEGER PRIMARY KEY, card TEXT NOT NULL, line "
      "TEXT "
      "GENERATED ALWAYS AS (printf('%1000000d', id)))");
  expect_mended("its table layers has no column line", 1);
}

TEST_F(StoreSchema, TriggersAreNotRun) {
  make_odd(
      "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results WHERE file IS NULL; END");
  expect_mended("it has triggers, which no version makes", 1);
}

TEST_F(StoreSchema, AFolderInItsPlaceIsSetAside) {
  fs::create_directories(file + "/within");
  expect_mended("it is a folder", 0);
}

TEST_F(StoreSchema, APipeInItsPlaceIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_mended("it is no file", 0);
}

// Longer than anything that is written here.
TEST_F(StoreSchema, AValueOfMoreBytesThanAnyThatIsWrittenIsNotRead) {
  make_odd("INSERT INTO layers(card, line) VALUES('NVIDIA H200', printf('%8000000d', 1))");
  {
    SqliteStore store(own, {});
    EXPECT_TRUE(store.layers(kStoreCard).empty());
    EXPECT_EQ(store.take_notice(), "") << "it is no layer, and small enough to be looked at";
  }
  Database database(file, Database::Mode::read_write);
  EXPECT_THROW(database.run("INSERT INTO layers(card, line) VALUES('', printf('%99000000d', 1))"),
               SqliteError);
}

TEST_F(StoreSchema, TablesOfOneselfDoNoHarm) {
  make_odd("CREATE TABLE mine(x); CREATE INDEX of_mine ON results(date); ANALYZE");
  SqliteStore store(own, {});
  EXPECT_EQ(store.results(results_of_cube()).size(), 1u);
  EXPECT_EQ(store.take_notice(), "");
  EXPECT_EQ(aside(), 0);
}

TEST_F(StoreSchema, WhatStandsInTheFileIsNotTrusted) {
  Database database(file, Database::Mode::read_write);
  Statement trusted(database, "PRAGMA trusted_schema");
  ASSERT_TRUE(trusted.step());
  EXPECT_EQ(trusted.number(0), 0);
  make_tables(database);
  EXPECT_TRUE(has_columns(database, "results", {"id", "file", "line"}));
  EXPECT_FALSE(has_columns(database, "results", {"id", "songs"}));
  EXPECT_FALSE(has_columns(database, "songs", {}));
  // Defensive: the schema cannot be written as if it were rows.
  database.run("PRAGMA writable_schema = ON");
  EXPECT_THROW(database.run("UPDATE sqlite_master SET sql = ''"), SqliteError);
}

// Rows that an earlier version took in, or that somebody has put there.
TEST_F(StoreSchema, RowsThatCannotBeAreLeftOutAndSaid) {
  make_odd("UPDATE results SET request = replace(request, 'block_m=', 'block_m=9')");
  SqliteStore store(own, {});
  EXPECT_TRUE(store.results(results_of_cube()).empty());
  const std::string notice = store.take_notice();
  EXPECT_EQ(notice.find("There are results in " + file + " that cannot be (block M is 9"), 0u)
      << notice;
  store.results(results_of_cube());
  EXPECT_EQ(store.take_notice(), "") << "once";
  for (const char* sql :
       {"UPDATE results SET request = '0' || substr(request, instr(request, ' '))",
        "UPDATE results SET request = '4294967428' || substr(request, instr(request, ' '))",
        "UPDATE results SET request = ''", "UPDATE results SET request = x'ff00ff'",
        "UPDATE results SET kernel = 'gone'"}) {
    Database(file, Database::Mode::read_write).run(sql);
    EXPECT_TRUE(store.results(results_of_cube()).empty()) << sql;
  }
}

TEST_F(StoreSchema, FiguresOfARowThatCannotBeAreLeftOut) {
  for (const char* figure : {"tflops = -1", "tflops = 9e999", "time_us = -9e999", "spread = -1"}) {
    make_odd((std::string("UPDATE results SET ") + figure).c_str());
    SqliteStore store(own, {});
    EXPECT_TRUE(store.results(results_of_cube()).empty()) << figure;
    EXPECT_NE(store.take_notice().find("it holds a figure that cannot be"), std::string::npos);
  }
}

TEST_F(StoreSchema, RowsOfNoSizeAreLeftOut) {
  make_odd("UPDATE results SET m = 0");
  SqliteStore store(own, {});
  ResultsOf of = results_of_cube();
  of.problem.m = 0;
  EXPECT_TRUE(store.results(of).empty());
  EXPECT_NE(store.take_notice().find("M is 0; choose 1 to 1,048,576"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::worker
