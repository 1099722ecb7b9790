#include "worker/engine/own/found_launches.h"

#include <algorithm>
#include <set>

#include "core/sheet/expression.h"
#include "worker/engine/own/declaration.h"
#include "worker/engine/own/host_code.h"
#include "worker/engine/own/host_values.h"

namespace tilescope::worker {
namespace {

/// The `>>>` behind a `<<<`; `end` if there is none near.
size_t closing(const std::vector<CuToken>& tokens, size_t i) {
  constexpr size_t kFarthest = 2000;
  const size_t end = std::min(tokens.size(), i + kFarthest);
  while (i < end && !is_triple(tokens, i, '>')) {
    if (tokens[i].is(";")) return end;
    i = tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{") ? behind_group(tokens, i, end)
                                                                    : i + 1;
  }
  return i;
}

/// The first token of the kernel's name in front of `<<<`, and the `<` of its list, if it has one.
struct Named {
  size_t begin = 0, list = 0;
};
Named named_before(const std::vector<CuToken>& tokens, size_t i) {
  Named named{i, 0};
  size_t at = i;
  if (at > 0 && tokens[at - 1].is(">")) {
    int depth = 0;
    constexpr size_t kFarthest = 500;
    while (at > 0 && i - at < kFarthest) {
      --at;
      if (tokens[at].is(">")) ++depth;
      if (tokens[at].is("<") && --depth == 0) break;
    }
    if (depth != 0) return named;
    named.list = at;
  }
  if (at == 0 || !tokens[at - 1].is_word()) return {i, 0};
  --at;
  while (at >= 2 && tokens[at - 1].is("::") && tokens[at - 2].is_word()) at -= 2;
  named.begin = at;
  return named;
}

}  // namespace

std::vector<sheet::FoundLaunch> found_launches(const std::vector<CuToken>& tokens) {
  constexpr size_t kMost = 1000;
  std::vector<sheet::FoundLaunch> all;
  HostValues values(tokens);
  for (size_t i = 0; i < tokens.size() && all.size() < kMost; ++i) {
    values.pass(i);
    if (!is_triple(tokens, i, '<')) continue;
    const Named named = named_before(tokens, i);
    const size_t close = closing(tokens, i + 3);
    if (named.begin == i || !is_triple(tokens, close, '>')) continue;
    sheet::FoundLaunch launch;
    launch.line = tokens[named.begin].line;
    const size_t name_end = named.list != 0 ? named.list : i;
    launch.kernel = joined_text(tokens, named.begin, name_end);
    if (named.list != 0) {
      std::string list;
      for (const auto& [from, to] : split_tokens(tokens, named.list + 1, i - 1)) {
        const auto number = sheet::evaluate(put_in(values.expression(from, to)));
        list += (list.empty() ? "" : ", ") +
                (number ? std::to_string(*number) : joined_text(tokens, from, to));
      }
      launch.kernel += "<" + list + ">";
    }
    // What the kernel is told stays a name in the numbers of the launch: with another size it has
    // another value.
    std::set<std::string, std::less<>> passed;
    const size_t open = close + 3;
    if (open < tokens.size() && tokens[open].is("(")) {
      const size_t end = behind_group(tokens, open);
      for (const auto& [from, to] : split_tokens(tokens, open + 1, end - 1)) {
        const bool name = to == from + 1 && tokens[from].is_word();
        const std::string text = put_in(values.expression(from, to));
        launch.arguments.push_back(name ? std::string(tokens[from].text) : text);
        const auto number = name ? sheet::evaluate(text) : std::nullopt;
        if (name) passed.insert(std::string(tokens[from].text));
        if (number) launch.values[std::string(tokens[from].text)] = *number;
      }
    }
    const auto plain = [&](HostValues::Sizes sizes) {
      for (std::string& size : sizes) size = put_in(size, passed);
      return sizes;
    };
    const auto parts = split_tokens(tokens, i + 3, close);
    if (parts.size() > 0) launch.grid = plain(values.sizes(parts[0].first, parts[0].second));
    if (parts.size() > 1) launch.block = plain(values.sizes(parts[1].first, parts[1].second));
    if (parts.size() > 2) {
      launch.shared = put_in(values.expression(parts[2].first, parts[2].second), passed);
    }
    all.push_back(std::move(launch));
  }
  return all;
}

bool is_instance(const sheet::FoundLaunch& launch) {
  const size_t open = launch.kernel.find('<');
  if (open == launch.kernel.npos) return true;
  const std::string_view list =
      std::string_view(launch.kernel).substr(open + 1, launch.kernel.size() - open - 2);
  const auto parts = sheet::split_list(list);
  return std::ranges::all_of(parts, [](const std::string& part) {
    return part == "true" || part == "false" || sheet::evaluate(part) ||
           sheet::value_type_of_cpp(part);
  });
}

}  // namespace tilescope::worker
