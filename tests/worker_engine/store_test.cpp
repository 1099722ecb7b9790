// What every store does, whatever it is made of: memory, the files of recordings, SQLite.
#include "worker/engine/store/store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/files/whole_file.h"
#include "tests/worker_engine/store_support.h"
#include "worker/engine/store/asset_files.h"
#include "worker/engine/store/sqlite_store.h"

namespace tilescope::worker {
namespace {

using Folders = std::vector<std::string>;

struct InMemory {
  static constexpr bool kKeeps = true;
  static std::unique_ptr<Store> make(const std::string&, const Folders& folders) {
    auto store = std::make_unique<MemoryStore>();
    for (const AssetFile& file : asset_files(folders)) {
      if (!file.proofs) {
        for (Recording& r : read_recording_file(file.path)) store->add_recorded(r, file.place);
        continue;
      }
      const std::string text = file_text(file.path);
      for (const std::string_view line : files::lines_of(text)) {
        if (auto proof = read_proof(line)) store->add_proof(*proof);
      }
    }
    return store;
  }
};
struct InAssets {
  static constexpr bool kKeeps = false;
  static std::unique_ptr<Store> make(const std::string&, const Folders& folders) {
    return std::make_unique<AssetStore>(folders);
  }
};
struct InSqlite {
  static constexpr bool kKeeps = true;
  static std::unique_ptr<Store> make(const std::string& own, const Folders& folders) {
    return std::make_unique<SqliteStore>(own, folders);
  }
};

template <class Kind>
class AnyStore : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    write_text(at(name), text);
  }
  Store& open(const Folders& names = {"a", "b"}) {
    Folders folders;
    for (const std::string& name : names) folders.push_back(at(name));
    store_ = Kind::make(at("own"), folders);
    return *store_;
  }
  static std::vector<double> figures(Store& store, const ResultsOf& of) {
    std::vector<double> figures;
    for (const StoredResult& r : store.results(of)) figures.push_back(r.tflops.value_or(0));
    return figures;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};
using Kinds = ::testing::Types<InMemory, InAssets, InSqlite>;
TYPED_TEST_SUITE(AnyStore, Kinds);

using Figures = std::vector<double>;

TYPED_TEST(AnyStore, HasRecordingsInTheOrderOfTheirFiles) {
  this->write("b/1.jsonl", result_line(5) + "\n");
  this->write("a/2.jsonl", result_line(3) + "\n" + result_line(4) + "\n");
  this->write("a/1.json", result_line(1) + "\n{damaged\n\n" + result_line(2));
  this->write("a/notes.txt", result_line(9));
  Store& store = this->open({"a", "b", "none", "a"});
  EXPECT_EQ(this->figures(store, results_of_cube()), (Figures{1, 2, 3, 4, 5}));
  const auto found = store.results(results_of_cube());
  EXPECT_EQ(found[3].place, found[0].place);
  EXPECT_GT(found[4].place, found[0].place);
  EXPECT_FALSE(found[0].own);
  EXPECT_EQ(found[0].card, kStoreCard);
  EXPECT_EQ(found[0].date, "2026-11-22");
  EXPECT_EQ(found[0].time_us, 100);
  EXPECT_EQ(found[0].spread, 0.01);
  EXPECT_FALSE(found[0].library_tflops);
  EXPECT_EQ(found[0].revision, "0123");
  const auto whole = store.whole(found[2]);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->result.tflops, 3);
  EXPECT_EQ(whole->result.samples, 20);
  EXPECT_TRUE(whole->request.problem == found[2].request.problem);
  EXPECT_TRUE(whole->request.tile == found[2].request.tile);
}

TYPED_TEST(AnyStore, FindsWhatIsAskedForAlone) {
  std::string biased = result_line(6);
  biased.insert(biased.size() - 1, R"(,"bias":true)");
  this->write("a/1.jsonl", result_line(1) + "\n" + result_line(2, 2048) + "\n" +
                               result_line(3, 1024, "NVIDIA H200 NVL") + "\n" +
                               result_line(4, 1024, "NVIDIA A100") + "\n" + biased + "\n");
  Store& store = this->open();
  EXPECT_EQ(this->figures(store, results_of_cube()), (Figures{1}));
  EXPECT_EQ(this->figures(store, results_of_cube(2048)), (Figures{2}));
  ResultsOf of = results_of_cube(1024, "H200");
  EXPECT_EQ(this->figures(store, of), Figures());
  of.whole_name = false;
  EXPECT_EQ(this->figures(store, of), (Figures{1, 3}));
  of.card = "";
  EXPECT_EQ(this->figures(store, of), (Figures{1, 3, 4}));
  of.kernel = "naive";
  EXPECT_EQ(this->figures(store, of), (Figures{1, 3, 4}));
  of.kernel = "coalesced";
  EXPECT_EQ(this->figures(store, of), Figures());
  of = results_of_cube(), of.problem.bias = true;
  EXPECT_EQ(this->figures(store, of), (Figures{6}));
  of = results_of_cube(), of.problem.beta = 0.5f;
  EXPECT_EQ(this->figures(store, of), Figures());
  of = results_of_cube(), of.recorded = false;
  EXPECT_EQ(this->figures(store, of), Figures());
}

TYPED_TEST(AnyStore, PassesOverKernelsThatThisBuildDoesNotKnow) {
  std::string other = result_line(2);
  other.replace(other.find("naive"), 5, "gone");
  this->write("a/1.jsonl", result_line(1) + "\n" + other + "\n");
  EXPECT_EQ(this->figures(this->open(), results_of_cube()), (Figures{1}));
}

TYPED_TEST(AnyStore, CountsTheCards) {
  this->write("a/1.jsonl", result_line(1) + "\n" + result_line(2, 2048, kStoreCard, "2026-11-24") +
                               "\n" + result_line(3, 512, "NVIDIA A100") + "\n");
  const std::vector<StoredCard> cards = this->open().cards();
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_EQ(cards[0].name, "NVIDIA A100");
  EXPECT_EQ(cards[0].count, 1);
  EXPECT_EQ(cards[1].name, kStoreCard);
  EXPECT_EQ(cards[1].count, 2);
  EXPECT_EQ(cards[1].date, "2026-11-24");
  EXPECT_FALSE(cards[1].own);
}

TYPED_TEST(AnyStore, HasTheBestProofOfEachAtom) {
  Proof never;
  never.atom = "d", never.device = "NVIDIA H200", never.date = "2026-11-20";
  never.unsupported = "It has none.";
  this->write("a/proofs-1.json", proof_line("a", "NVIDIA H200", "2026-11-20") +
                                     "damaged\n\n{\"atom\":1}\n" +
                                     proof_line("b", "NVIDIA H200", "2026-11-19") +
                                     nlohmann::json(never).dump() + "\n");
  this->write("a/proofs-2.jsonl", proof_line("a", "emulator", "2026-12-01") +
                                      proof_line("b", "NVIDIA A100", "2026-11-21", 3) +
                                      proof_line("c", "emulator", "2026-11-20"));
  this->write("a/h200.jsonl", proof_line("e", "NVIDIA H200", "2026-11-20"));
  Store& store = this->open();
  const auto proofs = store.proofs();
  ASSERT_EQ(proofs.size(), 3u);
  EXPECT_EQ(proofs.at("a").device, "NVIDIA H200");
  EXPECT_EQ(proofs.at("b").date, "2026-11-21");
  EXPECT_FALSE(proofs.at("b").ok);
  EXPECT_EQ(proofs.at("c").device, "emulator");
  EXPECT_TRUE(store.cards().empty()) << "files of proofs are no measurements";
}

TYPED_TEST(AnyStore, WithoutFoldersIsEmpty) {
  Store& store = this->open({});
  EXPECT_TRUE(store.results(results_of_cube()).empty());
  EXPECT_TRUE(store.cards().empty());
  EXPECT_TRUE(store.proofs().empty());
  EXPECT_TRUE(store.layers(kStoreCard).empty());
  EXPECT_EQ(store.take_notice(), "");
}

TYPED_TEST(AnyStore, KeepsWhatIsMeasuredHereBehindWhatIsRecorded) {
  this->write("a/1.jsonl", result_line(1) + "\n");
  Store& store = this->open();
  if (!TypeParam::kKeeps) {
    EXPECT_NE(store.keep(result_line(2)).find("not kept"), std::string::npos);
    EXPECT_NE(store.keep_layer({kept_layer(2, 30), "x"}).find("not kept"), std::string::npos);
    EXPECT_EQ(this->figures(store, results_of_cube()), (Figures{1}));
    return;
  }
  EXPECT_EQ(store.keep(result_line(3)), "");
  EXPECT_EQ(store.keep(result_line(2)), "");
  EXPECT_NE(store.keep("{}"), "");
  EXPECT_EQ(this->figures(store, results_of_cube()), (Figures{1, 3, 2}));
  ResultsOf of = results_of_cube();
  of.recorded = false;
  EXPECT_EQ(this->figures(store, of), (Figures{3, 2}));
  const auto own = store.results(of);
  EXPECT_TRUE(own[0].own);
  EXPECT_EQ(own[0].source, "4567");
  EXPECT_EQ(store.whole(own[1])->result.tflops, 2);
  of = results_of_cube(), of.own = false;
  EXPECT_EQ(this->figures(store, of), (Figures{1}));
  const std::vector<StoredCard> cards = store.cards();
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_FALSE(cards[0].own);
  EXPECT_TRUE(cards[1].own);
  EXPECT_EQ(cards[1].count, 2);
}

TYPED_TEST(AnyStore, KeepsLayersInTheirOrder) {
  if (!TypeParam::kKeeps) GTEST_SKIP() << "read alone";
  Store& store = this->open();
  EXPECT_EQ(store.keep_layer({kept_layer(2, 30), "x"}), "");
  EXPECT_EQ(store.keep_layer({kept_layer(1, 50), "y"}), "");
  KeptLayer wrong = kept_layer(4, 30);
  wrong.result.bars[0].step = 99;
  EXPECT_EQ(store.keep_layer({wrong, "z"}), "");
  const std::vector<StoredLayer> layers = store.layers(kStoreCard);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(nlohmann::json(layers[0].kept), nlohmann::json(kept_layer(2, 30)));
  EXPECT_EQ(layers[0].source, "x");
  EXPECT_EQ(layers[1].kept.cards, 1);
  EXPECT_TRUE(store.layers("NVIDIA H200 NVL").empty());
}

}  // namespace
}  // namespace tilescope::worker
