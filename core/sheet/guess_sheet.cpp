#include "core/sheet/guess_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/sheet/argument_spec.h"
#include "core/sheet/guess_parts.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ') out += c;
  }
  return out;
}

constexpr uint64_t kMostGuessed = 1 << 22;  // elements of a guessed buffer

/// What integers are taken to be, so that buffers of so many elements are not left: their length,
/// or where there are several (rows and columns, M, N and K, a stride) the side of a square.
int64_t guessed_extent(const Signature& s, uint64_t elements) {
  const auto is_extent = [](const Parameter& p) {
    const ValueType* type = is_pointer(p) ? nullptr : value_type_of(p);
    return type && !type->is_real() && type->bytes >= 4;
  };
  if (std::ranges::count_if(s.parameters, is_extent) < 2) return static_cast<int64_t>(elements);
  return static_cast<int64_t>(std::sqrt(static_cast<double>(elements)));
}

}  // namespace

const FoundLaunch* launch_of(const Signature& s, std::span<const FoundLaunch> launches) {
  const std::string whole = without_blanks(s.demangled.empty() ? s.entry : s.demangled);
  const std::string name = unqualified(whole.substr(0, whole.find('<')));
  const FoundLaunch* found = nullptr;
  for (const FoundLaunch& launch : launches) {
    const std::string written = without_blanks(launch.kernel);
    if (unqualified(written.substr(0, written.find('<'))) != name) continue;
    if (unqualified(written) == unqualified(whole)) return &launch;
    if (!found && written.find('<') == written.npos) found = &launch;
  }
  return found;
}

size_t find_kernel(std::span<const Signature> kernels, const std::string& name) {
  const std::string wanted = without_blanks(name);
  const auto found = [&](auto matches) {
    std::vector<size_t> all;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (matches(kernels[i].entry, without_blanks(kernels[i].demangled))) all.push_back(i);
    }
    return all;
  };
  using Text = const std::string&;
  std::vector<size_t> all;
  if (wanted.empty()) {
    all = found([](Text, Text) { return true; });
  } else {
    all = found([&](Text entry, Text) { return entry == wanted; });
    if (all.empty()) all = found([&](Text, Text demangled) { return demangled == wanted; });
    if (all.empty()) {
      all = found(
          [&](Text, Text demangled) { return unqualified(demangled) == unqualified(wanted); });
    }
    if (all.empty()) {
      all = found(
          [&](Text, Text demangled) { return demangled.substr(0, demangled.find('<')) == wanted; });
    }
    if (all.empty()) {
      all = found([&](Text entry, Text demangled) {
        return entry.find(wanted) != entry.npos || demangled.find(wanted) != demangled.npos;
      });
    }
  }
  if (all.size() == 1) return all.front();
  // Of several that fit, those; else all that there are.
  std::string names;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!all.empty() && std::ranges::find(all, i) == all.end()) continue;
    const Signature& s = kernels[i];
    names += (names.empty() ? "" : ", ") + (s.demangled.empty() ? s.entry : s.demangled);
  }
  if (kernels.empty()) names = "no entry";
  if (all.empty()) {
    throw SheetError(fmt::format("--entry: there is no '{}'; the file has {}", name, names));
  }
  throw SheetError(name.empty()
                       ? fmt::format("--entry: the file has several kernels; choose {}", names)
                       : fmt::format("--entry: '{}' may be any of {}; name one", name, names));
}

std::string unqualified(const std::string& name) {
  const size_t end = std::min(name.find('<'), name.size());
  const size_t colon = name.rfind("::", end);
  return colon == name.npos ? name : name.substr(colon + 2);
}

std::optional<Extent> evaluated(const std::array<std::string, 3>& sizes, const Names& names,
                                const Extent& most) {
  if (sizes[0].empty()) return std::nullopt;
  const uint32_t limits[] = {most.x, most.y, most.z};
  uint32_t values[] = {1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    if (sizes[i].empty()) continue;
    const auto value = evaluate(sizes[i], names);
    if (!value || *value < 1 || *value > limits[i]) return std::nullopt;
    values[i] = static_cast<uint32_t>(*value);
  }
  return Extent{values[0], values[1], values[2]};
}

void fill_launch(const Signature& s, const FoundLaunch* launch, const Names& names,
                 LaunchSheet& sheet) {
  sheet.entry = s.entry;
  const auto guess = [&](const char* what) { sheet.guesses.emplace_back(what); };
  if (launch) sheet.grid = evaluated(launch->grid, names, kMostGrid);
  if (!sheet.grid) {
    sheet.grid = s.required_cluster.x != 0 ? s.required_cluster : Extent{};
    guess("grid");
  }
  if (s.explicit_cluster && s.required_cluster.x == 0) {
    sheet.cluster = Extent{};
    guess("cluster");
  }
  if (s.required_block.x != 0) {
    sheet.block = s.required_block;
  } else {
    if (launch) sheet.block = evaluated(launch->block, names, kMostBlock);
    const uint64_t most = s.most_block.x != 0 ? s.most_block.count() : kMostThreads;
    if (sheet.block && sheet.block->count() > most) sheet.block.reset();
    if (!sheet.block && s.most_block.x != 0) sheet.block = s.most_block;
    if (!sheet.block) {
      sheet.block = Extent{256, 1, 1};
      guess("block");
    }
  }
  if (!s.dynamic_shared) return;
  const auto bytes = launch ? evaluate(launch->shared.empty() ? "0" : launch->shared, names)
                            : std::optional<int64_t>();
  if (bytes && *bytes >= 0 && *bytes <= kMostShared) {
    sheet.shared = static_cast<uint32_t>(*bytes);
  } else {
    guess("shared");
  }
}

LaunchSheet guess_sheet(const Signature& s, std::span<const FoundLaunch> launches) {
  LaunchSheet sheet;
  const FoundLaunch* launch = launch_of(s, launches);
  fill_launch(s, launch, launch ? launch->values : Names{}, sheet);
  const uint64_t threads = sheet.grid->count() * sheet.block->count();
  const uint64_t elements = std::clamp<uint64_t>(threads, 1024, kMostGuessed);
  const int64_t extent = guessed_extent(s, elements);
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    sheet.guesses.push_back(fmt::format("args[{}]", i));
    const ValueType* type = value_type_of(p);
    if (is_pointer(p)) {
      sheet.args.push_back(buffer_spec(type ? type->name : "f32", 1, elements, "random",
                                       p.is_const ? "in" : "inout"));
    } else if (!type) {
      sheet.args.push_back("bytes:" + std::string(size_t{2} * p.bytes, '0'));
    } else if (type->is_real()) {
      sheet.args.push_back(std::string(type->name) + ":1");
    } else {
      // A number that the launch passes, else what fits the buffers.
      std::optional<int64_t> value;
      if (launch && i < launch->arguments.size())
        value = evaluate(launch->arguments[i], launch->values);
      const int64_t fits = type->bytes == 1 ? 1 : type->bytes == 2 ? 1024 : extent;
      std::string spec = fmt::format("{}:{}", type->name, value ? *value : fits);
      sheet.args.push_back(std::move(spec));
    }
  }
  return sheet;
}

}  // namespace tilescope::sheet
