#include "worker/engine/counters/ncu_report.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>

namespace tilescope::worker {
namespace {

/// The fields of one line: "a","b ""c""",d
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::optional<double> number_in(std::string text) {
  std::erase(text, ',');  // of thousands: the decimal sign is a point, since ncu runs in C's locale
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  if (!std::isfinite(value)) return {};
  return value;
}

/// ncu scales by itself where it is not told not to: "Kbyte", "Gbyte". Its prefixes are decimal.
double factor_of(std::string_view unit) {
  constexpr std::pair<char, double> kPrefixes[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  if (!unit.ends_with("byte") || unit == "byte") return 1;
  for (const auto& [prefix, factor] : kPrefixes) {
    if (unit.front() == prefix) return factor;
  }
  return 1;
}

}  // namespace

std::map<std::string, double> parse_ncu_csv(const std::string& text) {
  std::map<std::string, double> values;
  std::istringstream in(text);
  size_t id = 0, name = 0, unit = 0, value = 0;
  std::optional<std::string> first;  // kernel's id
  bool heads = false;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with('"')) continue;
    const std::vector<std::string> fields = csv_fields(line);
    const auto column = [&](const char* head) {
      return static_cast<size_t>(std::ranges::find(fields, head) - fields.begin());
    };
    if (!heads) {
      id = column("ID"), name = column("Metric Name");
      unit = column("Metric Unit"), value = column("Metric Value");
      heads = std::max({id, name, unit, value}) < fields.size();
      continue;
    }
    if (std::max({id, name, unit, value}) >= fields.size()) continue;
    if (!first) first = fields[id];
    if (fields[id] != *first) break;
    if (const auto number = number_in(fields[value])) {
      values[fields[name]] = *number * factor_of(fields[unit]);
    }
  }
  return values;
}

std::vector<std::string> unknown_metrics(const std::string& messages,
                                         const std::vector<std::string>& asked) {
  std::vector<std::string> unknown;
  std::istringstream in(messages);
  for (std::string line; std::getline(in, line);) {
    if (line.find("Failed to find metric") == line.npos) continue;
    for (const std::string& metric : asked) {
      // It may name the metric without ".sum", and with what it looked for instead behind it.
      const std::string base = metric.substr(0, metric.find('.'));
      const size_t at = line.find(base);
      if (at == line.npos) continue;
      const char next = at + base.size() < line.size() ? line[at + base.size()] : ' ';
      const bool longer = std::isalnum(static_cast<unsigned char>(next)) || next == '_';
      if (!longer && std::ranges::find(unknown, metric) == unknown.end()) unknown.push_back(metric);
    }
  }
  return unknown;
}

std::string ncu_failure(const std::string& messages, const std::string& ncu) {
  const auto says = [&](std::string_view words) { return messages.find(words) != messages.npos; };
  if (says("ERR_NVGPUCTRPERM")) {
    return "The driver does not let this user read counters (ERR_NVGPUCTRPERM): run as root or "
           "with CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0; "
           "timing and model go on without counters.";
  }
  if (says("driver is not compatible with Nsight Compute") ||
      says("Failed to load Nsight Compute CUDA modules")) {
    return ncu +
           " does not fit this driver: install the Nsight Compute of the driver's CUDA version and "
           "set TILESCOPE_NCU to it, or update the driver.";
  }
  if (says("driver resource was unavailable")) {
    return "Another tool holds the card's counters (as DCGM does on servers): stop it while "
           "counting, as with dcgmi profile --pause.";
  }
  if (says("unrecognised option") || says("unrecognized option")) {
    return ncu + " does not know the options that are needed: update Nsight Compute to " +
           kOldestNcu + " or later.";
  }
  if (says("is not supported on device") || says("not supported on this device") ||
      says("Unsupported GPU") || says("unsupported GPU")) {
    return ncu +
           " does not know this card: update Nsight Compute, or set TILESCOPE_NCU to a newer "
           "one.";
  }
  return {};
}

std::string ncu_version(const std::string& text) {
  const std::string_view word = "Version ";
  const size_t at = text.find(word);
  if (at == text.npos) return {};
  size_t end = at + word.size();
  int points = 0;  // the fourth number says nothing to a person
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) ||
                               (text[end] == '.' && ++points < 3))) {
    ++end;
  }
  return text.substr(at + word.size(), end - at - word.size());
}

bool is_too_old(const std::string& version) {
  const auto numbers = [](std::string_view text) {
    int year = 0, release = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), year);
    if (error == std::errc() && end + 1 < text.data() + text.size()) {
      std::from_chars(end + 1, text.data() + text.size(), release);
    }
    return std::pair(year, release);
  };
  return !version.empty() && numbers(version) < numbers(kOldestNcu);
}

}  // namespace tilescope::worker
