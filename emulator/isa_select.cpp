// Chooses the build of isa/ that this CPU can run.
#include <cstdlib>
#include <string_view>

#include "emulator/emulator.h"
#include "emulator/row.h"

namespace tilescope::emulator {

#if defined(TILESCOPE_HAS_BASELINE)
namespace isa_baseline {
const RowTable& table();
}
#endif
#if defined(TILESCOPE_HAS_V3)
namespace isa_v3 {
const RowTable& table();
}
#endif

namespace {

// For tests and for comparing the two: TILESCOPE_EMULATOR_ISA=baseline.
[[maybe_unused]] bool force_baseline() {
  const char* wanted = std::getenv("TILESCOPE_EMULATOR_ISA");
  return wanted && std::string_view(wanted) == "baseline";
}

}  // namespace

bool uses_avx2() {
#if !defined(TILESCOPE_HAS_BASELINE)
  return true;
#elif defined(TILESCOPE_HAS_V3)
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                          !force_baseline();
  return has;
#else
  return false;
#endif
}

const RowTable& active_rows() {
#if !defined(TILESCOPE_HAS_BASELINE)
  return isa_v3::table();
#else
#if defined(TILESCOPE_HAS_V3)
  if (uses_avx2()) return isa_v3::table();
#endif
  return isa_baseline::table();
#endif
}

}  // namespace tilescope::emulator
