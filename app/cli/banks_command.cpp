// banks: wavefronts of one warp's access to shared memory.
#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "core/layout/warp_access.h"
#include "core/model/banks.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

struct AccessRow {
  const char* name;
  int lane_bytes;  // of lds; 0 for ldmatrix
  int matrices;    // of ldmatrix
};
constexpr AccessRow kAccesses[] = {
    {"lds.32", 4, 0},      {"lds.64", 8, 0},      {"lds.128", 16, 0},
    {"ldmatrix.x1", 0, 1}, {"ldmatrix.x2", 0, 2}, {"ldmatrix.x4", 0, 4},
};

constexpr int kMaxStride = 1 << 20;

const AccessRow& access_named(const std::string& name) {
  std::string names;
  for (const AccessRow& row : kAccesses) {
    if (name == row.name) return row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw CliError(kBadUsage, fmt::format("--access: '{}' is none of {}", name, names));
}

struct Options {
  std::string access, stride, swizzle;
};

int run(const Options& o, const Globals& globals) {
  const AccessRow& row = access_named(o.access);
  const int stride = parse_integer("--stride", o.stride, 0, kMaxStride);
  const int align = row.matrices > 0 ? 16 : row.lane_bytes;
  if (stride % align != 0) {
    throw CliError(kBadUsage, fmt::format("--stride is {}; {} needs a multiple of {} bytes", stride,
                                          row.name, align));
  }
  const Swizzle swizzle = o.swizzle.empty() ? Swizzle::none : parse_swizzle("--swizzle", o.swizzle);
  const model::BankResult r =
      model::bank_access(row.matrices > 0 ? matrix_access(row.matrices, stride, swizzle)
                                          : strided_access(row.lane_bytes, stride, swizzle),
                         row.matrices);
  if (globals.json) {
    print_json({{"wavefronts", r.wavefronts},
                {"ideal", r.ideal},
                {"conflicts", r.conflicts()},
                {"per_phase", r.per_phase}});
    return kOk;
  }
  print(fmt::format("{} at a stride of {} B, swizzle {}: {} wavefronts, {} ideal, {} conflicts",
                    row.name, stride, model::name_of(swizzle), r.wavefronts, r.ideal,
                    r.conflicts()));
  for (size_t i = 0; i < r.per_phase.size(); ++i) {
    print(fmt::format("  phase {}: {}", i, r.per_phase[i]));
  }
  return kOk;
}

}  // namespace

Run make_banks(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<Options>();
  app.add_option("--access", o->access, "lds.32, lds.64, lds.128, ldmatrix.x1, .x2 or .x4")
      ->required();
  app.add_option("--stride", o->stride, "bytes from lane to lane, or from row to row")->required();
  app.add_option("--swizzle", o->swizzle, "32B, 64B or 128B; none if left out");
  return [o, &globals] { return run(*o, globals); };
}

}  // namespace tilescope::cli
