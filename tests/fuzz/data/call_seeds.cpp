// Requests and answers of every call, with random values in all of their members.
#include <nlohmann/json.hpp>

#include "data_target.h"
#include "tests/worker_engine/call_values.h"
#include "worker/messages/calls_json.h"

namespace tilescope::fuzz {

std::vector<std::string> call_seeds() {
  std::vector<std::string> all;
  const auto add = [&](const char* call, const char* of, const nlohmann::json& value) {
    all.push_back(nlohmann::json{{"call", call}, {"of", of}, {"value", value}}.dump());
  };
  worker::for_each_call([&]<class C>() {
    for (unsigned seed = 0; seed < 3; ++seed) {
      worker::RandomValues random(seed);
      add(C::name, "request",
          worker::write_request<C>(random.template make<typename C::Request>()));
      add(C::name, "answer",
          worker::write_answer<C>(random.template make<typename C::Answer>(),
                                  [](std::string_view, std::span<const std::byte>) {}));
    }
  });
  add("", "progress", {{"stage", "measuring"}, {"done", 3}, {"all", 9}});
  return all;
}

}  // namespace tilescope::fuzz
