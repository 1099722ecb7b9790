#include "core/model/format.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <ctime>

namespace tilescope::model {
namespace {

struct NamedUnit {
  double scale;
  const char* name;
};

std::string with_unit(double value, const NamedUnit* units, int count) {
  int i = 0;
  while (i + 1 < count && std::abs(value) < units[i].scale) ++i;
  return four_digits(value / units[i].scale) + " " + units[i].name;
}

}  // namespace

std::string grouped(long long value) {
  const std::string digits = std::to_string(value);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') out += ',';
    out += digits[i];
  }
  return out;
}

std::string four_digits(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return "–";
  if (size >= 1000) return grouped(std::llround(value));
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string bytes_text(double bytes) {
  static constexpr NamedUnit kUnits[] = {
      {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
  return with_unit(bytes, kUnits, 5);
}

std::string time_text(double us) {
  static constexpr NamedUnit kUnits[] = {{1e6, "s"}, {1e3, "ms"}, {1, "µs"}};
  return with_unit(us, kUnits, 3);
}

RateUnit rate_unit(double tflops) {
  if (tflops >= 1 || tflops <= 0) return {1, "TFLOPS"};
  return tflops >= 1e-3 ? RateUnit{1e3, "GFLOPS"} : RateUnit{1e6, "MFLOPS"};
}

std::string rate_text(double tflops) {
  const RateUnit unit = rate_unit(tflops);
  return four_digits(tflops * unit.per_tflops) + " " + unit.name;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace tilescope::model
