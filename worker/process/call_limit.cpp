#include "worker/process/call_limit.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "worker/process/pool_words.h"

namespace tilescope::worker {
namespace {

// A sanitizer slows all tenfold.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSecond = 10'000;
#else
constexpr int kSecond = 1000;
#endif

struct LimitRow {
  const char* kind;  // "cuda" stands for each card's
  int seconds;
  bool of_silence = false;
  int launches = 0;
  bool of_instructions = false;
  bool of_driver = false;
};
// A compiler: what NVRTC, asked twice for a kernel of one's own, and nvcc behind it may each take
// by their own limits (60 s; 120 s and nvdisasm for the ladder's), and what reads and writes files
// beside them. The search for devices: cuInit took up to half a minute where eight cards had to
// wake. A card: the driver compiles PTX; what waits for a kernel of ours says so. An emulation is
// bounded by its instructions, of which a person may allow as many as it takes.
constexpr LimitRow kLimits[] = {
    {.kind = "compiler", .seconds = 210},
    {.kind = "probe", .seconds = 120, .of_driver = true},
    {.kind = "cuda", .seconds = 300, .of_silence = true, .launches = 10, .of_driver = true},
    {.kind = "counters", .seconds = 300, .of_silence = true, .launches = 10},
    {.kind = "heuristics", .seconds = 300},
    {.kind = "store", .seconds = 600},
    {.kind = "emulator", .seconds = 86'400, .of_silence = true, .of_instructions = true},
};
// Of an emulation with all checks on one slow core.
constexpr double kLaneInstructionsASecond = 1e6;

/// None: the request names no such number.
std::optional<double> number_of(const nlohmann::json& params, const char* name) {
  if (!params.is_object()) return std::nullopt;
  const auto found = params.find(name);
  if (found == params.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// Seconds that a request names; 0: it names none.
double seconds_of(const nlohmann::json& params, const char* name) {
  return std::max(0.0, number_of(params, name).value_or(0));
}

int milliseconds(double ms) {
  // As long as a timer of whole milliseconds counts: 24 days.
  return static_cast<int>(std::min(ms, static_cast<double>(std::numeric_limits<int>::max())));
}

}  // namespace

CallLimit call_limit_of(const std::string& kind, int driver_limit_ms) {
  const std::string name = is_gpu(kind) ? "cuda" : kind;
  for (const LimitRow& row : kLimits) {
    if (name != row.kind) continue;
    const bool given = row.of_driver && driver_limit_ms > 0;
    return {.ms = given ? driver_limit_ms : milliseconds(1.0 * row.seconds * kSecond),
            .of_silence = row.of_silence,
            .launches = row.launches,
            .of_instructions = row.of_instructions};
  }
  return {};
}

int call_limit_ms(const CallLimit& limit, const nlohmann::json& params) {
  if (limit.ms <= 0) return 0;
  // "seconds" of counting is all that ncu may take, of which nothing is told; of measuring it is
  // told sample by sample.
  double own = limit.launches * seconds_of(params, "time_limit") +
               (limit.launches > 0 ? seconds_of(params, "seconds") : 0);
  if (const auto most = number_of(params, "max_lane_instructions"); limit.of_instructions && most) {
    if (*most == 0) return 0;  // as many as it takes
    own += std::max(0.0, *most) / kLaneInstructionsASecond;
  }
  return milliseconds(limit.ms + own * 1000);
}

int driver_limit_of_environment() {
  const char* text = std::getenv("TILESCOPE_DRIVER_LIMIT");
  if (!text || !*text) return 0;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end != '\0' || !(seconds > 0)) return 0;
  return std::max(1, milliseconds(seconds * 1000));
}

}  // namespace tilescope::worker
