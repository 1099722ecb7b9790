// Layers that a stranger has written, or that were damaged: left out, or of steps, tiles and cards
// that can be.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/worker_engine/recording_changes.h"
#include "tests/worker_engine/store_support.h"
#include "worker/engine/store/layer_queries.h"
#include "worker/engine/store/memory_store.h"
#include "worker/messages/bounds.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

TEST(OddLayer, SaysWhyItIsLeftOut) {
  const json whole = json::parse(layer_line({kept_layer(2, 30), "x"}));
  const auto why_of = [](const json& line) {
    std::string why;
    return read_layer(line.dump(), &why) ? std::string() : why;
  };
  ASSERT_EQ(why_of(whole), "");
  const struct {
    const char* path;
    json value;
    const char* why;
  } kOdd[] = {
      {"/request/choices/0/tile/block_m", 0, "block M"},
      {"/request/choices/0/tile/block_m", -1, "block_m is -1; choose 0 to 1,048,576"},
      {"/request/sms", 0, "sms is 0; choose 1 to 1024"},
      {"/request/sms", 1e300, "beyond any time"},
      {"/request/layer/tokens", 0, "tokens 0 is out of range"},
      {"/request/layer/ranks", 65, "ranks 65 is out of range"},
      {"/cards", 0, "cards, chunks or times cannot be"},
      {"/cards", 65, "cards, chunks or times cannot be"},
      {"/result/total_us", -1, "cards, chunks or times cannot be"},
      {"/result/total_us", nullptr, "cards, chunks or times cannot be"},
      {"/result/samples", -1, "cards, chunks or times cannot be"},
      {"/result/steps/0/0", -1, "cards, chunks or times cannot be"},
      {"/result/bars/0/0", 99, "not of its steps"},
      {"/result/bars/0/1", -1, "not of its steps"},
      {"/result/bars/0/1", 64, "cards, chunks or times cannot be"},
      {"/result/bars/0/2", 2, "not of its steps"},
      {"/result/bars/0/2", 4294967297, "a bar's rank is 4294967297; choose"},
      {"/source", 1, "it is no layer"},
  };
  for (const auto& odd : kOdd) {
    json line = whole;
    line[json::json_pointer(odd.path)] = odd.value;
    EXPECT_NE(why_of(line).find(odd.why), std::string::npos) << odd.path << ": " << why_of(line);
  }
  json of_another_build = whole;
  of_another_build["/request/choices/0/kernel"_json_pointer] = "of_another_version";
  EXPECT_EQ(why_of(of_another_build), "") << "the next build may know it";
}

TEST(OddLayer, ThousandsOfThemAreReadOrLeftOut) {
  std::mt19937 random(34);
  int read = 0, left_out = 0;
  for (int i = 0; i < 1000; ++i) {
    json changed = json::parse(layer_line({kept_layer(1 + i % 4, 30), "x"}));
    for (int n = i % 3; n > 0; --n) change_value(changed, random);
    std::string line = changed.dump();
    if (i % 5 == 4) change_bytes(line, random);
    const auto layer = read_layer(line);
    ++(layer ? read : left_out);
    if (!layer) continue;
    MemoryStore store;
    EXPECT_EQ(keep_layer(store, layer->kept, ""), "") << line;
    for (const KeptLayer& kept : kept_layers(store, layer->kept.card, "")) {
      EXPECT_TRUE(kept.request.sms >= 1 && kept.request.sms <= kMostSms) << line;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(left_out, 300);
}

// Of who has asked for it, it is kept as one of an unknown kernel is, and never found.
TEST(OddLayer, OneOfATileOfNothingIsNotAskedOfItsKernel) {
  MemoryStore store;
  KeptLayer kept = kept_layer(2, 30);
  kept.request.choices[0].tile = {};
  EXPECT_EQ(keep_layer(store, kept, ""), "");
  EXPECT_TRUE(kept_layers(store, kStoreCard, "").empty());
}

}  // namespace
}  // namespace tilescope::worker
