#include "app/features/tile/edit_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "app/state/match.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "core/model/sentences.h"

namespace tilescope {
namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const bool thousands = text.size() > 1 && text.back() == 'k';  // "4k" is 4,096
  if (thousands) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return thousands ? value * 1024 : value;
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

/// Of "off" and "on" the first two of a setting's named values.
bool is_named(const std::vector<std::string>& values, size_t at, std::string_view typed) {
  if (match_score(typed, values[at]) >= kWholeWord - 90) return true;
  return at < 2 && typed == (at == 0 ? "off" : "on");
}

Setting tile_setting(const KernelEntry& kernel, const Slider& slider, const TileConfig& tile) {
  const TileField& field = kTileFields[static_cast<int>(slider.field)];
  Setting s;
  s.title = field.label;
  s.also = field.name;
  // Of block_m, block_n and block_k.
  if (const size_t cut = s.also.rfind('_'); cut != std::string::npos && cut + 2 == s.also.size()) {
    s.group = s.also.substr(0, cut);
  }
  s.now = model::value_name(field.id, get(tile, field.id));
  s.named = field.names[0] != '\0';
  for (int i = 0; i < slider.count; ++i) {
    s.values.push_back(model::value_name(field.id, slider.values[i]));
  }
  s.put = [id = field.id, slider, values = s.values, named = s.named, label = s.title,
           rung = fmt::format("{:02} {}", kernel.info.number, kernel.info.id)](
              Edit& edit, std::string_view value) -> std::string {
    for (int i = 0; i < slider.count; ++i) {
      const auto at = static_cast<size_t>(i);
      const auto number = number_of(value);
      const bool same = named ? is_named(values, at, value) || value == values[at]
                              : number && *number == slider.values[i];
      if (!same) continue;
      set(edit.change_rung().tile, id, slider.values[i]);
      return {};
    }
    return wording("{} of {} can be {}", label, rung, joined(values));
  };
  return s;
}

Setting extent_setting(const Problem& now, const char* title, int Problem::*extent) {
  Setting s;
  s.title = title;
  s.group = "problem size";
  s.now = std::to_string(now.*extent);
  s.put = [title, extent](Edit& edit, std::string_view value) -> std::string {
    const auto number = number_of(value);
    if (!number || *number < 1 || *number > kMaxExtent || *number != std::floor(*number)) {
      return wording("{} is a whole number from 1 to {}", title, model::grouped(kMaxExtent));
    }
    edit.problem.*extent = static_cast<int>(*number);
    return {};
  };
  return s;
}

Setting factor_setting(const Problem& now, const char* title, float Problem::*factor) {
  Setting s;
  s.title = title;
  s.now = fmt::format("{}", now.*factor);
  s.put = [title, factor](Edit& edit, std::string_view value) -> std::string {
    const auto number = number_of(value);
    if (!number || std::abs(*number) > 1e30) return wording("{} is a number", title);
    edit.problem.*factor = static_cast<float>(*number);
    return {};
  };
  return s;
}

/// One of a few that have names; `set` puts the i-th.
Setting choice(std::string title, std::string also, std::vector<std::string> values,
               std::string now, std::function<void(Problem&, size_t)> set) {
  Setting s;
  s.title = std::move(title), s.also = std::move(also);
  s.now = std::move(now), s.values = std::move(values);
  s.named = true;
  s.put = [title = s.title, values = s.values, set = std::move(set)](
              Edit& edit, std::string_view value) -> std::string {
    for (size_t i = 0; i < values.size(); ++i) {
      if (value != values[i] && !is_named(values, i, value)) continue;
      set(edit.problem, i);
      return {};
    }
    return wording("{} can be {}", title, joined(values));
  };
  return s;
}

Setting layout_setting(const KernelInfo& info, const Problem& now) {
  std::vector<std::string> letters;
  std::vector<int> bits;
  for (const int bit : {kNN, kNT, kTN, kTT}) {
    if ((info.layouts & bit) == 0) continue;
    Problem with = now;
    set_layout(with, bit);
    letters.push_back(model::layout_letters(with));
    bits.push_back(bit);
  }
  return choice("layout", "order of A and B", std::move(letters), model::layout_letters(now),
                [bits](Problem& p, size_t i) { set_layout(p, bits[i]); });
}

Setting types_setting(const KernelInfo& info, const Problem& now) {
  std::vector<std::string> names;
  std::vector<Types> sets;
  for (int i = 0; i < kTypeSets; ++i) {
    if ((info.types >> i & 1) == 0) continue;
    sets.push_back(types_of_bit(1 << i));
    names.push_back(types_text(sets.back()));
  }
  return choice("types", "element type", std::move(names), types_text(types_of(now)),
                [sets](Problem& p, size_t i) { set_types(p, sets[i]); });
}

}  // namespace

std::string types_text(const Types& t) {
  const std::string a = model::name_of(t.a), b = model::name_of(t.b);
  return (a == b ? a : a + " × " + b) + " → " + model::name_of(t.c);
}

std::vector<Setting> settings_of(const AppState& state) {
  std::vector<Setting> all;
  const KernelEntry* kernel = state.derived.kernel;
  if (!kernel) return all;
  const TileConfig& tile = state.edit.rung().tile;
  for (int i = 0; i < kernel->sliders.count; ++i) {
    all.push_back(tile_setting(*kernel, kernel->sliders.slider[i], tile));
  }
  const Problem& p = state.edit.problem;
  all.push_back(extent_setting(p, "M", &Problem::m));
  all.push_back(extent_setting(p, "N", &Problem::n));
  all.push_back(extent_setting(p, "K", &Problem::k));
  all.push_back(factor_setting(p, "alpha", &Problem::alpha));
  all.push_back(factor_setting(p, "beta", &Problem::beta));
  all.push_back(choice("bias", "", {"without", "with"}, p.bias ? "with" : "without",
                       [](Problem& q, size_t i) { q.bias = i == 1; }));
  all.push_back(layout_setting(kernel->info, p));
  all.push_back(types_setting(kernel->info, p));
  return all;
}

std::string effect_of(const AppState& state, const Edit& next, std::string_view before,
                      std::string_view after) {
  if (same_request(next, state.edit)) return wording("{} now", after);
  std::string effect = fmt::format("{} → {}", before, after);
  const KernelEntry* kernel = find_kernel(next.rung().kernel.c_str());
  if (!kernel) return effect;
  const TileConfig& tile = next.rung().tile;
  const Violation violation = kernel->validate(tile, next.problem, state.limits);
  if (!violation.legal()) {
    const KernelPlan plan =
        kernel->plan(kernel->sliders.defaults(), next.problem, state.limits.sm_count);
    return wording("{} · illegal: {}", effect,
                   model::sentence(violation, tile, next.problem, plan, state.limits));
  }
  if (!state.derived.legal()) return wording("{} · legal", effect);
  const auto then = state.models->tflops(*kernel, tile, next.problem, state.gpu);
  const auto now = state.models->tflops(*state.derived.kernel, state.edit.rung().tile,
                                        state.edit.problem, state.gpu);
  if (then && now) {
    effect += fmt::format(" · ~{} → ~{}", model::rate_text(*now), model::rate_text(*then));
  }
  return effect;
}

std::vector<std::string> numbers_in(std::string_view word) {
  std::vector<std::string> parts(1);
  for (const char c : word) {
    if (c == 'x' || c == '*') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (!std::ranges::all_of(parts, [](const std::string& p) { return number_of(p).has_value(); })) {
    return {};
  }
  return parts;
}

}  // namespace tilescope
