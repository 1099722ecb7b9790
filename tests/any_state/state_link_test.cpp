// Links, under the sanitizers as all that takes what others have written: what the sender saw is
// what opens, in one short line; nothing personal is in it; whatever else a line says, one sentence
// and nothing changed.
#include "app/state/state_link.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "app/features/own/own_view.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/session.h"
#include "core/files/packed_text.h"
#include "tests/any_state/any_state.h"

namespace tilescope {
namespace {

using nlohmann::json;

/// Without tiles that other rungs were left with: a link is of one.
json shown(const AppState& state) {
  json all = shown_json(state);
  all["edit"].erase("tiles");
  return all;
}

/// As a session brings it back: what no panel can have chosen is put right.
AppState settled(const AppState& state) {
  AppState after = initial_state();
  std::string error;
  EXPECT_TRUE(from_json(after, to_json(state), &error)) << error;
  return after;
}

std::string link(const AppState& state) {
  std::string error;
  std::string line = link_of(state, &error);
  EXPECT_EQ(error, "");
  EXPECT_LE(line.size(), kLongestLink);
  return line;
}

std::string link_with(const std::string& text) { return "tilescope:1." + files::pack_text(text); }

TEST(Link, OpensWhatTheSenderSaw) {
  AnyState any(28 + first_state());
  size_t longest = 0;
  for (int i = 0; i < states() / 3; ++i) {
    const AppState sent = settled(any.state_of_a_rung());
    AppState here = any.state();
    here.history = {point_of(initial_state())};
    const std::string line = link(sent);
    longest = std::max(longest, line.size());
    std::string error;
    const std::string address = "https://somewhere.example/tilescope/#" + line.substr(10);
    ASSERT_TRUE(open_link(here, i % 2 ? address : link(sent), &error)) << error;
    ASSERT_EQ(shown(here), shown(sent)) << "state " << i;
    ASSERT_TRUE(same_request(here.edit, sent.edit));
    ASSERT_EQ(here.history.size(), 1u) << "what was found here stays";
  }
  EXPECT_LE(longest, 1024u);
}

TEST(Link, HasNothingPersonal) {
  AppState state = initial_state();
  state.history = {point_of(state)};
  pin(state, point_of(state), "mine");
  state.of<OwnRecent>().files = {"/their/secret.cu"};
  const json all = to_json(state), seen = shown_json(state);
  for (const char* key : {"history", "pinned", "own_files"}) {
    EXPECT_TRUE(all.contains(key)) << key;
    EXPECT_FALSE(seen.contains(key)) << key;
  }
}

TEST(Link, OfSomebodysOwnKernelAwaitsItsFile) {
  const std::string sheet = R"({"entry": "sgemm", "grid": [1,1,1]})";
  AppState sent = initial_state();
  set_kernel(sent, "vectorized");
  open_own_kernel(sent, {"/their/secret/sgemm.cu", sheet});
  const std::string line = link(sent);
  AppState here = initial_state();
  std::string error;
  ASSERT_TRUE(open_link(here, line, &error)) << error;
  EXPECT_FALSE(here.edit.own());
  EXPECT_EQ(here.edit.rung().kernel, "vectorized");
  EXPECT_EQ(here.awaited.file, "sgemm.cu") << "and no folder";
  EXPECT_NE(here.said.find("sgemm.cu"), std::string::npos);
  open_own_kernel(here, {"/my/other.cu", ""});
  EXPECT_EQ(here.edit.own()->sheet, "");
  open_own_kernel(here, {"/my/sgemm.cu", ""});
  EXPECT_EQ(here.edit.own()->sheet, sheet);
  EXPECT_EQ(here.awaited.file, "") << "once";
  // Where one of that name is open already, its launch becomes the sender's.
  AppState open = initial_state();
  open_own_kernel(open, {"/my/sgemm.cu", "{}"});
  ASSERT_TRUE(open_link(open, line, &error)) << error;
  ASSERT_TRUE(open.edit.own());
  EXPECT_EQ(open.edit.own()->file, "/my/sgemm.cu");
  EXPECT_EQ(open.edit.own()->sheet, sheet);
}

TEST(Link, ThatWouldBeTooLongSaysSo) {
  AppState state = initial_state();
  std::string sheet, error;
  std::mt19937 random(1);
  while (sheet.size() < 4000) sheet += std::to_string(random());
  open_own_kernel(state, {"/a.cu", sheet});
  EXPECT_EQ(link_of(state, &error), "");
  EXPECT_NE(error.find("at most 2048"), std::string::npos) << error;
}

TEST(Link, ThatIsNoneOrDamagedChangesNothing) {
  const AppState sent = initial_state();
  const std::string line = link(sent);
  json unknown = shown_json(sent);
  unknown["edit"]["kernel"] = "no_such_kernel";
  const std::pair<std::string, const char*> cases[] = {
      {"", "begins with"},
      {"tilescope:", "begins with"},
      {"tilescope:1", "begins with"},
      {"https://somewhere.example/", "begins with"},
      {"tilescope:2.abcd", "newer"},
      {"tilescope:99999.abcd", "newer"},
      {"tilescope:0.abcd", "damaged"},
      {"tilescope:1.", "damaged"},
      {line.substr(0, line.size() - 5), "damaged"},
      {link_with(""), "damaged"},
      {link_with("[]"), "damaged"},
      {link_with("{}"), "damaged"},
      {link_with(R"({"edit": 5})"), "damaged"},
      {link_with(std::string(10 << 20, ' ')), "damaged"},
      {link_with(std::string(1000, '[')), "damaged"},
      {link_with(unknown.dump()), "no_such_kernel"},
      {link_with(R"({"tilescope": 99, "edit": {"kernel": "naive"}})"), "newer"},
      {"tilescope:1." + std::string(1 << 20, 'A'), "damaged"},
  };
  for (const auto& [text, word] : cases) {
    AppState here = initial_state();
    set_kernel(here, "naive");
    const json before = to_json(here);
    std::string error;
    EXPECT_FALSE(open_link(here, text, &error)) << text.substr(0, 80);
    EXPECT_NE(error.find(word), std::string::npos) << error << " of " << text.substr(0, 80);
    EXPECT_EQ(to_json(here), before) << text.substr(0, 80);
  }
  EXPECT_TRUE(is_link(" " + line + "\n"));
  EXPECT_FALSE(is_link("/kernels/a#1.cu"));
  EXPECT_FALSE(is_link("{}"));
}

TEST(Link, DamagedAtRandomIsFoundToBe) {
  AnyState any(29 + first_state());
  std::mt19937 random(29 + first_state());
  for (int i = 0; i < states() / 3; ++i) {
    std::string line = link(settled(any.state_of_a_rung()));
    const std::string whole = line;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      const size_t at = 12 + random() % (line.size() - 12);
      if (random() % 3 == 0) {
        line.resize(at);
        break;
      }
      line[at] = static_cast<char>(random() % 256);
    }
    if (line == whole) continue;
    AppState here = any.state();
    const json before = to_json(here);
    std::string error;
    // The last digit has bits that say nothing.
    if (open_link(here, line, &error)) {
      ASSERT_EQ(line.size(), whole.size());
      ASSERT_EQ(line.substr(0, line.size() - 2), whole.substr(0, whole.size() - 2));
    } else {
      ASSERT_NE(error, "");
      ASSERT_EQ(to_json(here), before);
    }
  }
}

// Right in form, and anything in it.
TEST(Link, OfAnyContentOpensOrSaysWhyNot) {
  AnyState any(30 + first_state());
  std::mt19937 random(30 + first_state());
  const json values = json::parse(
      R"([null, true, -1, 1e300, 9223372036854775808, "", "x", [], {}, [1, "a", null], "\\n/.."])");
  for (int i = 0; i < states() / 3; ++i) {
    json said = shown_json(any.state());
    for (int changes = static_cast<int>(random() % 6); changes >= 0; --changes) {
      const json flat = said.flatten();
      auto at = flat.begin();
      std::advance(at, random() % flat.size());
      json::json_pointer place(at.key());
      if (random() % 2) place = place.parent_pointer();
      if (!place.empty()) said[place] = values[random() % values.size()];
    }
    for (const char* key : {"history", "pinned", "own_files"}) {
      if (random() % 4 == 0) said[key] = json::array({"/etc/passwd"});
    }
    AppState here = any.state();
    here.of<OwnRecent>().files = {"/mine.cu"};
    const json before = to_json(here);
    std::string error;
    if (open_link(here, link_with(said.dump(-1, ' ', false, json::error_handler_t::replace)),
                  &error)) {
      ASSERT_EQ(to_json(here)["own_files"], before["own_files"]);
      ASSERT_EQ(to_json(here)["history"], before["history"]);
    } else {
      ASSERT_NE(error, "");
      ASSERT_EQ(to_json(here), before);
    }
  }
}

}  // namespace
}  // namespace tilescope
