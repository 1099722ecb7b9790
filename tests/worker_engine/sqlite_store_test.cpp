// The store in SQLite: several processes, processes that are killed, files that are damaged, and
// what older versions have left.
#include "worker/engine/store/sqlite_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "tests/worker_engine/store_support.h"
#include "worker/engine/store/layer_queries.h"
#include "worker/engine/store/result_queries.h"

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAssets = TILESCOPE_SOURCE_DIR "/assets/recordings";

struct SqliteFile : ::testing::Test {
  TemporaryFolder folder;
  std::string own = folder.path() + "/results";
  std::string file = store_file(own);

  SqliteStore open(std::vector<std::string> recordings = {}) {
    return SqliteStore(own, std::move(recordings));
  }
  static std::multiset<double> figures(Store& store, int n = 1024) {
    std::multiset<double> all;
    for (const StoredResult& r : store.results(results_of_cube(n))) all.insert(*r.tflops);
    return all;
  }
  int64_t rows(const std::string& of) {
    const Database database(file, Database::Mode::read_write);
    Statement count(database, "SELECT count(*) FROM " + of);
    return count.step() ? count.number(0) : -1;
  }
  std::vector<std::string> set_aside() {
    std::vector<std::string> names;
    for (const auto& item : fs::directory_iterator(own)) {
      const std::string name = item.path().filename().string();
      const bool belongs = name.ends_with("-wal") || name.ends_with("-shm");
      if (name.starts_with("store.sqlite.damaged-") && !belongs) names.push_back(name);
    }
    return names;
  }
  /// Another process; its exit code is 0 if all went well.
  static pid_t start(const std::function<bool()>& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    return child;
  }
  static int end_of(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

// A thousand recordings of a size, or a hundred thousand: the index is what finds them.
TEST_F(SqliteFile, IsSearchedByItsIndex) {
  SqliteStore store = open({kAssets});
  const auto uses = [&](const ResultsOf& of, const std::string& words) {
    std::string steps;
    for (const std::string& step : store.plan_of(of)) steps += step + "\n";
    EXPECT_NE(steps.find(words), std::string::npos) << steps;
    EXPECT_EQ(steps.find("SCAN results"), std::string::npos) << steps;
  };
  ResultsOf of = results_of_cube();
  uses(of, "USING INDEX results_of (m=? AND n=? AND k=? AND card=?)");
  of.own = false, of.kernel = "naive";
  uses(of, "USING INDEX results_of (m=? AND n=? AND k=? AND card=?)");
  of.whole_name = false;
  uses(of, "USING INDEX results_of (m=? AND n=? AND k=?)");
}

TEST_F(SqliteFile, AnswersAsTheFilesOfRecordingsDo) {
  SqliteStore store = open({kAssets});
  AssetStore assets({kAssets});
  const auto cards = store.cards(), expected = assets.cards();
  ASSERT_EQ(cards.size(), expected.size());
  ASSERT_FALSE(cards.empty());
  for (size_t i = 0; i < cards.size(); ++i) {
    EXPECT_EQ(cards[i].name, expected[i].name);
    EXPECT_EQ(cards[i].count, expected[i].count);
    for (const int n : {512, 4096}) {
      const ResultsOf of = results_of_cube(n, cards[i].name);
      const auto a = store.results(of), b = assets.results(of);
      ASSERT_EQ(a.size(), b.size());
      ASSERT_FALSE(a.empty());
      for (size_t r = 0; r < a.size(); ++r) {
        EXPECT_EQ(a[r].tflops, b[r].tflops);
        EXPECT_EQ(a[r].library_tflops, b[r].library_tflops);
        EXPECT_EQ(a[r].revision, b[r].revision);
        EXPECT_TRUE(a[r].request.tile == b[r].request.tile);
        EXPECT_TRUE(a[r].request.problem == b[r].request.problem);
      }
    }
  }
  EXPECT_EQ(store.proofs().size(), assets.proofs().size());
}

TEST_F(SqliteFile, AVersionOfAFileIsReadInOnce) {
  const std::string assets = folder.path() + "/assets";
  fs::create_directories(assets);
  write_text(assets + "/1.jsonl", result_line(1) + "\n");
  {
    SqliteStore store = open({assets});
    EXPECT_EQ(figures(store).size(), 1u);
    EXPECT_EQ(rows("results"), 1);
    // It is written anew while the store is open.
    write_text(assets + "/1.jsonl", result_line(1) + "\n" + result_line(2) + "\n");
    EXPECT_EQ(figures(store), (std::multiset<double>{1, 2})) << "of the present version alone";
    EXPECT_EQ(rows("results"), 3);
  }
  // Who looks into other folders has nothing of these; nothing is read in twice.
  SqliteStore other = open({folder.path() + "/none"}), again = open({assets});
  EXPECT_TRUE(figures(other).empty());
  EXPECT_EQ(figures(again).size(), 2u);
  EXPECT_EQ(rows("results"), 3);
  // What nobody has named for a season goes.
  {
    Database database(file, Database::Mode::read_write);
    database.run("UPDATE files SET used = '2020-01-01'");
  }
  SqliteStore later = open({assets});
  EXPECT_EQ(figures(later).size(), 2u);
  EXPECT_EQ(rows("results"), 2);
}

TEST_F(SqliteFile, SeveralProcessesLoseNothing) {
  constexpr int kProcesses = 4, kResults = 25;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    children.push_back(start([&] {
      SqliteStore store = open({kAssets});  // all of them make the file and read the assets in
      for (int i = 0; i < kResults; ++i) {
        if (!store.keep(result_line(1000 * p + i)).empty()) return false;
        if (figures(store).empty()) return false;
      }
      return store.take_notice().empty();
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(rows("results WHERE file IS NULL"), kProcesses * kResults);
  SqliteStore store = open({kAssets});
  AssetStore assets({kAssets});
  EXPECT_EQ(store.results(results_of_cube()).size(),
            assets.results(results_of_cube()).size() + kProcesses * kResults);
}

TEST_F(SqliteFile, AKilledProcessLosesNothingThatWasKept) {
  std::set<double> kept;
  for (int round = 0; round < 12; ++round) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = start([&] {
      SqliteStore store = open({kAssets});
      for (int i = 0;; ++i) {
        if (!store.keep(result_line(1000 * round + i)).empty()) return false;
        if (::write(told[1], &i, sizeof i) != sizeof i) return false;
      }
    });
    int i = -1;
    for (int n = 0; n <= round; ++n) {
      ASSERT_EQ(::read(told[0], &i, sizeof i), static_cast<ssize_t>(sizeof i));
      kept.insert(1000 * round + i);
    }
    ::kill(child, SIGKILL);  // in the midst of the next one
    EXPECT_EQ(end_of(child), -SIGKILL);
    ::close(told[0]), ::close(told[1]);
  }
  SqliteStore store = open();
  const std::multiset<double> there = figures(store);
  for (const double one : kept) EXPECT_EQ(there.count(one), 1u) << one;
  EXPECT_EQ(store.take_notice(), "");
}

TEST_F(SqliteFile, AProcessKilledWhileItReadsRecordingsInIsNoHarm) {
  for (int round = 0; round < 8; ++round) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = start([&] {
      // One byte says that it begins; how far it comes is the machine's to say.
      if (::write(told[1], "x", 1) != 1) return false;
      SqliteStore store = open({kAssets});
      return !store.cards().empty();
    });
    char one = 0;
    ASSERT_EQ(::read(told[0], &one, 1), 1);
    for (int n = 0; n < 40 * round && !fs::exists(file); ++n) ::sched_yield();
    ::kill(child, SIGKILL);
    end_of(child);
    ::close(told[0]), ::close(told[1]);
  }
  SqliteStore store = open({kAssets});
  AssetStore assets({kAssets});
  ASSERT_EQ(store.cards().size(), assets.cards().size());
  for (size_t i = 0; i < store.cards().size(); ++i) {
    EXPECT_EQ(store.cards()[i].count, assets.cards()[i].count);
  }
}

TEST_F(SqliteFile, WhatIsNoDatabaseIsSetAsideAndMadeAnew) {
  fs::create_directories(own);
  write_text(file, std::string(5000, 'x'));
  SqliteStore store = open({kAssets});
  AssetStore assets({kAssets});
  EXPECT_EQ(store.results(results_of_cube(4096)).size(),
            assets.results(results_of_cube(4096)).size());
  ASSERT_EQ(set_aside().size(), 1u);
  const std::string notice = store.take_notice();
  EXPECT_NE(notice.find("was damaged (file is not a database): it is kept as " + set_aside()[0]),
            std::string::npos)
      << notice;
  EXPECT_EQ(store.take_notice(), "") << "once";
  EXPECT_EQ(store.keep(result_line(1)), "");
  EXPECT_EQ(file_text(own + "/" + set_aside()[0]), std::string(5000, 'x'));
}

/// Own results on many pages, of which some in the midst are overwritten.
void damage(const std::string& file) {
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(size / 2 / 4096 * 4096);
  const std::string garbage(4096 * 6, '\xa5');
  out.write(garbage.data(), static_cast<std::streamsize>(garbage.size()));
}

TEST_F(SqliteFile, OfADamagedOneIsKeptWhatCanBeRead) {
  constexpr int kResults = 200;
  {
    SqliteStore store = open();
    ASSERT_EQ(store.keep_layer({kept_layer(2, 30), "x"}), "");
    // One transaction: the disk is asked once.
    Database database(file, Database::Mode::read_write);
    Transaction transaction(database);
    for (int i = 0; i < kResults; ++i) {
      const std::string line = result_line(i);
      put_result(database, *read_recording(line), line, 0);
    }
    transaction.commit();
  }
  damage(file);
  SqliteStore store = open({kAssets});
  EXPECT_EQ(store.keep(result_line(1000)), "");
  store.results(results_of_cube());
  store.results(results_of_cube());
  std::multiset<double> there;
  ResultsOf of_own = results_of_cube();
  of_own.recorded = false;
  for (const StoredResult& r : store.results(of_own)) there.insert(*r.tflops);
  const std::string notice = store.take_notice();
  ASSERT_EQ(set_aside().size(), 1u) << notice;
  EXPECT_NE(notice.find("was damaged ("), std::string::npos);
  EXPECT_NE(notice.find("could be read and are kept on."), std::string::npos) << notice;
  EXPECT_EQ(there.count(1000), 1u) << "what was kept meanwhile is there, too";
  EXPECT_EQ(there.count(0), 1u) << "before the damage";
  EXPECT_EQ(there.count(kResults - 1), 1u) << "and behind it";
  EXPECT_LT(there.size(), static_cast<size_t>(kResults) + 1);
  EXPECT_EQ(store.layers(kStoreCard).size(), 1u);
  EXPECT_EQ(store.cards().empty(), false);
  EXPECT_EQ(rows("results WHERE file IS NOT NULL") > 1000, true) << "recordings are there again";
}

TEST_F(SqliteFile, IsLookedThroughAndMended) {
  EXPECT_FALSE(open().health(true).there) << "nothing was kept so far";
  {
    SqliteStore store = open();
    for (int i = 0; i < 30; ++i) ASSERT_EQ(store.keep(result_line(i)), "");
  }
  const std::string whole = file_text(file);
  EXPECT_EQ(open().health(false).damage, "");
  std::mt19937 random(32);
  int damaged = 0;
  for (int i = 0; i < 60; ++i) {
    fs::remove_all(own);
    fs::create_directories(own);
    std::string text = whole;
    const size_t at = random() % text.size(), many = 1 + random() % 3000;
    for (size_t n = at; n < std::min(text.size(), at + many); ++n) {
      text[n] = static_cast<char>(random());
    }
    write_text(file, text);
    SqliteStore store = open();
    const StoreHealth before = store.health(true);
    const std::string told = store.take_notice();
    damaged += !before.damage.empty();
    // A later schema is left alone, as it may be one.
    if (!before.remark.empty()) continue;
    EXPECT_EQ(before.damage.empty(), set_aside().empty()) << before.damage;
    EXPECT_EQ(before.damage.empty(), told.empty()) << told;
    EXPECT_EQ(store.health(false).damage, "") << before.damage;
    EXPECT_EQ(store.keep(result_line(1000)), "");
  }
  EXPECT_GT(damaged, 20);
}

// Two windows, one of which finds the damage.
TEST_F(SqliteFile, AnotherProcessGoesOnWithTheNewOne) {
  SqliteStore first = open(), second = open();
  ASSERT_EQ(first.keep(result_line(1)), "");
  ASSERT_EQ(figures(second).size(), 1u);
  fs::rename(file, file + ".damaged-1");
  fs::remove(file + "-wal");
  fs::remove(file + "-shm");
  EXPECT_EQ(first.keep(result_line(2)), "");
  EXPECT_EQ(second.keep(result_line(3)), "");
  EXPECT_EQ(figures(first), (std::multiset<double>{2, 3}));
  EXPECT_EQ(figures(second), (std::multiset<double>{2, 3}));
}

TEST_F(SqliteFile, OneOfALaterVersionIsLeftAlone) {
  ASSERT_EQ(open().keep(result_line(1)), "");
  {
    Database database(file, Database::Mode::read_write);
    database.run("PRAGMA user_version = 99");
  }
  SqliteStore store = open({kAssets});
  const std::string not_kept = store.keep(result_line(2));
  EXPECT_NE(not_kept.find("written by a newer Tilescope (format 99, this one reads 1)"),
            std::string::npos)
      << not_kept;
  EXPECT_FALSE(store.results(results_of_cube(4096)).empty()) << "recordings are there";
  EXPECT_NE(store.take_notice().find("newer Tilescope"), std::string::npos);
  store.results(results_of_cube(4096));
  EXPECT_EQ(store.take_notice(), "") << "once";
  EXPECT_EQ(rows("results"), 1);
}

TEST_F(SqliteFile, AFolderThatCannotBeIsOneSentence) {
  SqliteStore store("/proc/nowhere", {kAssets});
  const std::string sentence = store.keep(result_line(1));
  EXPECT_EQ(sentence.find("The result is not kept: /proc/nowhere/store.sqlite cannot be written ("),
            0u)
      << sentence;
  EXPECT_FALSE(store.results(results_of_cube(4096)).empty()) << "recordings are there";
  const auto found = store.results(results_of_cube(4096));
  EXPECT_EQ(store.whole(found[0])->result.tflops, found[0].tflops);
}

// Files as commit 14a59b2 wrote them.
TEST_F(SqliteFile, WhatOlderVersionsKeptIsTakenOverOnce) {
  fs::create_directories(own);
  fs::copy(TILESCOPE_SOURCE_DIR "/tests/fixtures/store", own, fs::copy_options::recursive);
  const std::string older = own + "/NVIDIA_H200.jsonl";
  const auto of_problem = [](Store& store) {
    const KernelRequest request = default_request("mma_multistage", 4096, 4096, 4096);
    ResultsOf of;
    of.problem = request.problem, of.card = kStoreCard;
    std::multiset<double> all;
    for (const StoredResult& r : store.results(of)) all.insert(*r.tflops);
    return all;
  };
  const std::multiset<double> expected = {470.5, 481.25};
  {
    SqliteStore store = open();
    EXPECT_EQ(of_problem(store), expected);
    ASSERT_EQ(store.layers(kStoreCard).size(), 2u);
    EXPECT_EQ(store.layers(kStoreCard)[0].kept.result.total_us, 30);
    ASSERT_EQ(store.keep(result_line(7)), "");
  }
  EXPECT_EQ(rows("results"), 3);
  // The older version goes on beside this one; its last line had been cut short.
  std::ofstream(older, std::ios::app) << "\n" + result_line(8) + "\n" + result_line(9);
  SqliteStore store = open();
  EXPECT_EQ(of_problem(store), expected);
  EXPECT_EQ(figures(store), (std::multiset<double>{7, 8, 9}));
  std::ofstream(older, std::ios::app) << "\n" + result_line(10) + "\n";
  SqliteStore again = open();
  EXPECT_EQ(figures(again), (std::multiset<double>{7, 8, 9, 10}));
  EXPECT_EQ(again.layers(kStoreCard).size(), 2u);
}

}  // namespace
}  // namespace tilescope::worker
