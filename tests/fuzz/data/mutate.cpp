#include "mutate.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/files/json_file.h"

namespace tilescope::fuzz {
namespace {

using nlohmann::json;

class Mutation {
 public:
  explicit Mutation(std::mt19937& random) : random_(random) {}

  void change(json& root) {
    std::vector<json*> all;
    collect(root, all);
    json& at = *all[below(all.size())];
    switch (below(6)) {
      case 0:
        at = any_value();
        return;
      case 1:
        at = *all[below(all.size())] == at ? any_value() : copy_of(*all[below(all.size())]);
        return;
      case 2:
        return remove_one(at);
      case 3:
        return add_one(at, *all[below(all.size())]);
      case 4:
        if (at.is_number_integer()) {
          at = at.get<uint64_t>() + (below(2) == 0 ? 1 : ~uint64_t{0});
        } else if (at.is_number()) {
          at = at.get<double>() * (below(2) == 0 ? -1 : 1024);
        } else if (at.is_boolean()) {
          at = !at.get<bool>();
        }
        [[fallthrough]];
      default:
        if (at.is_string()) at = bytes(at.get<std::string>());
    }
  }

  std::string bytes(std::string text) {
    static constexpr std::string_view kWords[] = {
        "0",    "-1", "2147483648", "1e308", "\"",   "\\",   "{", "}", "[", "]",   ":",  ",",
        "\r\n", "\n", "../",        "/",     "null", "\xff", "#", "(", ")", "<<<", "::", "//"};
    const size_t at = below(text.size() + 1), many = 1 + below(9);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, many);
        break;
      case 3:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 4:
        text.insert(at, text.substr(below(text.size() + 1), many * 4));
        break;
      default:
        text.resize(below(20) == 0 ? at : text.size());
        for (size_t i = at; i < std::min(at + many, text.size()); ++i) {
          text[i] = static_cast<char>(below(3) == 0 ? 0xff : 0);
        }
    }
    return text;
  }

  size_t below(size_t n) { return random_() % n; }

 private:
  static void collect(json& value, std::vector<json*>& all) {
    all.push_back(&value);
    if (value.is_structured()) {
      for (json& inner : value) collect(inner, all);
    }
  }
  static json copy_of(const json& value) { return value; }
  json any_value() {
    static const json kValues = json::parse(
        R"([null, true, false, 0, 1, -1, 2, 3, 127, 128, 4096, 65535, 65536, 2147483647, 2147483648,
            -2147483648, 4294967296, 9223372036854775807, -9223372036854775808, 18446744073709551615,
            1e300, -1e300, 0.5, 1e-300, "", "x", "ü", "../x", "/dev/zero", "naive", "i32", [], {}, [0], [1, 1, 1],
            [[[[]]]], {"a": 1}])");
    return kValues[below(kValues.size())];
  }
  void remove_one(json& at) {
    if (!at.is_structured() || at.empty()) return;
    auto one = at.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(below(at.size())));
    at.erase(one);
  }
  void add_one(json& at, const json& other) {
    const json value = copy_of(other);  // it may be part of `at`
    if (at.is_array()) {
      for (size_t n = below(4); n < 4; ++n) at.push_back(value);
    } else if (at.is_object() && value.is_object() && !value.empty()) {
      auto one = value.begin();
      std::advance(one, static_cast<std::ptrdiff_t>(below(value.size())));
      at[one.key()] = one.value();
    }
  }

  std::mt19937& random_;
};

}  // namespace

std::string mutated(std::string_view input, size_t longest, std::mt19937& random) {
  Mutation mutation(random);
  std::string text(input);
  auto document = files::parse_json(input, 40);
  const bool by_values = document && mutation.below(8) != 0;
  for (size_t changes = 1 + mutation.below(3); changes > 0; --changes) {
    if (by_values) {
      mutation.change(*document);
    } else {
      text = mutation.bytes(std::move(text));
    }
  }
  if (by_values) text = files::json_text(*document);
  if (text.size() > longest) text.resize(longest);
  return text;
}

}  // namespace tilescope::fuzz
