// Chooses the build of isa/ that this CPU can run.
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "emulator/compile/row.h"
#include "emulator/emulator.h"

namespace tilescope::emulator {

#if defined(TILESCOPE_HAS_BASELINE)
namespace isa_baseline {
const RowTable& table(bool avx512);
}
#endif
#if defined(TILESCOPE_HAS_V3)
namespace isa_v3 {
const RowTable& table(bool avx512);
}
#endif

namespace {

// For tests and for comparing the builds: TILESCOPE_EMULATOR_ISA=baseline, or avx2.
[[maybe_unused]] bool forced(std::string_view isa) {
  const char* wanted = std::getenv("TILESCOPE_EMULATOR_ISA");
  return wanted && wanted == isa;
}

#if defined(TILESCOPE_HAS_V3)
/// F16C, too, which all that have AVX2 have; clang 14 knows no name for it.
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}

bool uses_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && !forced("avx2");
  return has;
}
#endif

}  // namespace

bool uses_avx2() {
#if !defined(TILESCOPE_HAS_BASELINE)
  return true;
#elif defined(TILESCOPE_HAS_V3)
  static const bool has = has_avx2() && !forced("baseline");
  return has;
#else
  return false;
#endif
}

const RowTable& active_rows() {
#if !defined(TILESCOPE_HAS_BASELINE)
  // Rather a sentence than an instruction that is not there.
  static const bool can = has_avx2();
  if (!can) {
    throw std::runtime_error(
        "This processor has no AVX2, which this build needs; build here, or configure with "
        "-DTILESCOPE_EMULATOR_BASELINE=ON.");
  }
  return isa_v3::table(uses_avx512());
#else
#if defined(TILESCOPE_HAS_V3)
  if (uses_avx2()) return isa_v3::table(uses_avx512());
#endif
  return isa_baseline::table(false);
#endif
}

}  // namespace tilescope::emulator
