// The list of calls: each is served by whom it names, and what it carries survives the journey.
#include "worker/messages/calls.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "call_values.h"
#include "worker/messages/calls_json.h"
#include "worker/messages/json_fields.h"
#include "worker/service.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

constexpr int kTimes = 30;

TEST(Calls, EachIsServedByTheRolesThatItNamesAndByNoOther) {
  const std::map<Role, MethodTable> tables = {
      {Role::compiler, compiler_methods()},     {Role::emulator, emulator_methods()},
      {Role::card, device_methods(0)},          {Role::counters, counters_methods()},
      {Role::heuristics, heuristics_methods()}, {Role::store, store_methods()}};
  EXPECT_EQ(tables.size() + 1, std::size(kRoles)) << "the supervisor's are in worker_process";
  std::set<std::string> listed;
  for_each_call([&]<class C>() {
    EXPECT_TRUE(listed.insert(C::name).second) << C::name << " is listed twice";
    for (const auto& [role, table] : tables) {
      EXPECT_EQ(table.contains(C::name), C::roles.has(role))
          << C::name << ", " << (device_of(role) ? device_of(role) : "a card");
    }
  });
  for (const auto& [role, table] : tables) {
    for (const auto& [name, method] : table) EXPECT_TRUE(listed.contains(name)) << name;
  }
}

TEST(Calls, RequestsSurviveTheJourney) {
  for_each_call([]<class C>() {
    for (int time = 0; time < kTimes; ++time) {
      RandomValues random(static_cast<unsigned>(time));
      auto request = random.make<typename C::Request>();
      const std::string text = write_request<C>(request).dump();
      auto back = read_request<C>(json::parse(text));
      ASSERT_TRUE(same(request, back)) << C::name << " " << text;
    }
  });
}

TEST(Calls, AnswersSurviveTheJourney) {
  for_each_call([]<class C>() {
    for (int time = 0; time < kTimes; ++time) {
      RandomValues random(static_cast<unsigned>(time));
      auto answer = random.make<typename C::Answer>();
      typename PartsOf<C>::type parts;
      const std::string text =
          write_answer<C>(answer, [&](std::string_view type, std::span<const std::byte> bytes) {
            // Cut anywhere, as frames are.
            parts.add(type, bytes.first(bytes.size() / 2));
            parts.add(type, bytes.subspan(bytes.size() / 2));
          }).dump();
      auto back = read_answer<C>(json::parse(text), parts);
      ASSERT_TRUE(same(answer, back)) << C::name << " " << text;
    }
  });
}

// A request that says nothing beyond what it must is as short as people write it by hand.
TEST(Calls, WhatIsAsUsualIsLeftOut) {
  KernelRequest request;
  request.kernel = "some";
  json expected = {{"kernel", "some"},
                   {"tile", write_request<calls::Compile>({{request}}).at("tile")},
                   {"problem", write_request<calls::Compile>({{request}}).at("problem")},
                   {"sms", request.sms}};
  EXPECT_EQ(write_request<calls::Compile>({{request}}), expected);
  EXPECT_EQ(write_request<calls::Emulate>({{request}}), expected);
  expected["scope"] = "classes", expected["ptx"] = "";
  EXPECT_EQ(write_request<calls::Emulate>(
                {.of = {request}, .code = {.ptx = ""}, .scope = EmulationScope::classes}),
            expected);
}

TEST(Calls, WhatIsNoAnswerIsSaidToBeNone) {
  EXPECT_THROW(read_answer<calls::Compile>(json::object()), AnswerError);
  EXPECT_THROW(read_answer<calls::Emulate>("sorry"), AnswerError);
  EXPECT_THROW(read_progress({{"stage", 7}}), AnswerError);
  // A trace whose frames have not come.
  RandomValues random(1);
  auto trace = random.make<TraceResult>();
  trace.events.resize(2);
  const json told = write_answer<calls::Trace>(trace, [](auto, auto) {});
  EXPECT_THROW(read_answer<calls::Trace>(told), AnswerError);
}

TEST(Calls, ProgressIsWhateverAChildTells) {
  const auto back = [](const Progress& p) { return read_progress(write_progress(p)); };
  EXPECT_EQ(back({.stage = "compiling"}).stage, "compiling");
  const Progress half = back({"proving", 3, 6});
  EXPECT_EQ(half.done, 3u);
  EXPECT_EQ(half.all, 6u);
  EXPECT_FALSE(half.measured);
  MeasureResult measured;
  measured.samples = 4, measured.tflops = 7.5;
  const Progress sample = back({.measured = measured});
  ASSERT_TRUE(sample.measured);
  EXPECT_EQ(sample.measured->tflops, 7.5);
  EXPECT_FALSE(read_progress("a word").measured);
}

struct Odd {
  int must = 1, may = 2, usual = 3;
  double number = 4;
  std::optional<int> left_out, null;
};
void to_json(json& j, const Odd& o);
void from_json(const json& j, Odd& o);
TILESCOPE_JSON(Odd, NEED(must, number) MAY(may, null) SPARSE(usual, left_out))

TEST(JsonFields, WhatIsMissingIsAsInAFreshStruct) {
  const Odd odd = json{{"must", 7}, {"number", nullptr}}.get<Odd>();
  EXPECT_EQ(odd.must, 7);
  EXPECT_EQ(odd.may, 2);
  EXPECT_EQ(odd.usual, 3);
  EXPECT_TRUE(std::isnan(odd.number));
  EXPECT_THROW((json{{"number", 1}}.get<Odd>()), json::exception);
  EXPECT_THROW((json{{"must", "seven"}, {"number", 1}}.get<Odd>()), json::exception);
  EXPECT_THROW(json::array().get<Odd>(), json::exception);
}

TEST(JsonFields, NumbersInListsAreWholeToo) {
  std::map<std::string, std::vector<std::pair<uint64_t, int8_t>>> value;
  take_field(json{{"a", {{7, -1}, {8.0, 2}}}}, "parts", value);
  EXPECT_EQ(value["a"], (std::vector<std::pair<uint64_t, int8_t>>{{7, -1}, {8, 2}}));
  for (const json& wrong : {json{{"a", {{-1e300, 5}}}}, json{{"a", {{1, 128}}}}, json{{"a", {{1}}}},
                            json{{"a", 5}}, json(1)}) {
    EXPECT_ANY_THROW(take_field(wrong, "parts", value)) << wrong;
  }
}

TEST(JsonFields, WhatIsAsUsualIsLeftOutWhereItSaysSo) {
  EXPECT_EQ(json(Odd{}).dump(), R"({"may":2,"must":1,"null":null,"number":4.0})");
  EXPECT_EQ(json((Odd{.usual = 5,
                      .number = std::numeric_limits<double>::infinity(),
                      .left_out = 6,
                      .null = 8}))
                .dump(),
            R"({"left_out":6,"may":2,"must":1,"null":8,"number":null,"usual":5})");
}

}  // namespace
}  // namespace tilescope::worker
