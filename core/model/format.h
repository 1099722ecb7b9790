// Numbers and dates for people: grouped thousands, at most four digits, units.
#pragma once
#include <string>
#include <string_view>

namespace tilescope::model {

/// 262144 → "262,144".
std::string grouped(long long value);

/// At most four digits: 0.1234, 12.34, 1,234 (larger ones are grouped and whole).
std::string four_digits(double value);

/// Bytes in decimal units, as bandwidths are: 33554432 → "33.55 MB".
std::string bytes_text(double bytes);

/// Microseconds → "12.34 µs", "1.234 ms", "1.234 s".
std::string time_text(double us);

/// The day in UTC, "2026-11-22": what stands beside a figure that was taken now.
std::string today();
/// ASCII letters as small ones: what people type is compared without regard to case.
std::string lower_case(std::string_view text);

/// The unit that leaves digits before the point, and how many of it a TFLOPS has.
struct RateUnit {
  double per_tflops;
  const char* name;  // "TFLOPS", "GFLOPS", "MFLOPS"
};
RateUnit rate_unit(double tflops);
/// "612.3 TFLOPS", "17.86 GFLOPS".
std::string rate_text(double tflops);

}  // namespace tilescope::model
