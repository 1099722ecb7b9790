// banks: what one warp's access costs, in wavefronts of shared memory or sectors of global memory.
#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "core/layout/warp_access.h"
#include "core/model/banks.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

enum class Unit { loads, stores, matrices, global };
struct AccessRow {
  const char* name;
  Unit unit;
  int size;  // bytes of a lane, or matrices
};
constexpr AccessRow kAccesses[] = {
    {"lds.32", Unit::loads, 4},         {"lds.64", Unit::loads, 8},
    {"lds.128", Unit::loads, 16},       {"sts.32", Unit::stores, 4},
    {"sts.64", Unit::stores, 8},        {"sts.128", Unit::stores, 16},
    {"ldmatrix.x1", Unit::matrices, 1}, {"ldmatrix.x2", Unit::matrices, 2},
    {"ldmatrix.x4", Unit::matrices, 4}, {"stmatrix.x1", Unit::matrices, 1},
    {"stmatrix.x2", Unit::matrices, 2}, {"stmatrix.x4", Unit::matrices, 4},
    {"ldg.32", Unit::global, 4},        {"ldg.64", Unit::global, 8},
    {"ldg.128", Unit::global, 16},
};

constexpr int kMaxStride = 1 << 20;

struct BanksOptions {
  std::string access, stride, base = "0", swizzle;
};

const AccessRow& access_named(const std::string& name) {
  std::string names;
  for (const AccessRow& row : kAccesses) {
    if (name == row.name) return row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  bad(fmt::format("--access: '{}' is none of {}", name, names));
}

/// A number of bytes that the access is aligned by: hardware faults on any other.
int aligned_bytes(const char* flag, const std::string& text, const AccessRow& row) {
  const int bytes = parse_integer(flag, text, 0, kMaxStride);
  const int align = row.unit == Unit::matrices ? kMatrixRowBytes : row.size;
  if (bytes % align != 0) {
    bad(fmt::format("{} is {}; {} needs a multiple of {} bytes: choose {} or {}", flag, bytes,
                    row.name, align, bytes / align * align, (bytes / align + 1) * align));
  }
  return bytes;
}

int show_global(const AccessRow& row, const WarpAccess& access, int stride, bool json) {
  model::GlobalSum sum;
  sum.add(access);
  if (json) {
    print_json({{"requests", sum.requests}, {"sectors", sum.sectors}, {"lines", sum.lines}});
    return kOk;
  }
  print(fmt::format(
      "{} at a stride of {} B: {} request, {} sectors of {} B in {} lines of {} B; "
      "lanes ask for {} B",
      row.name, stride, sum.requests, sum.sectors, kSectorBytes, sum.lines, kLineBytes, sum.bytes));
  return kOk;
}

int show_shared(const AccessRow& row, const WarpAccess& access, int stride, Swizzle swizzle,
                bool json) {
  const model::BankResult r = model::bank_access(access, row.unit == Unit::matrices ? row.size : 0);
  if (json) {
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

int run_banks(const BanksOptions& o, const Globals& globals) {
  const AccessRow& row = access_named(o.access);
  const int stride = aligned_bytes("--stride", o.stride, row);
  const int base = aligned_bytes("--base", o.base, row);
  const Swizzle swizzle = o.swizzle.empty() ? Swizzle::none : parse_swizzle("--swizzle", o.swizzle);
  if (row.unit == Unit::global) {
    if (swizzle != Swizzle::none) {
      bad(
          fmt::format("--swizzle {} permutes shared memory, and {} reads global memory; leave it "
                      "out",
                      o.swizzle, row.name));
    }
    return show_global(row, strided_access(row.size, stride, swizzle, base), stride, globals.json);
  }
  WarpAccess access = row.unit == Unit::matrices ? matrix_access(row.size, stride, swizzle, base)
                                                 : strided_access(row.size, stride, swizzle, base);
  if (row.unit == Unit::stores) access.use = SharedUse::store;
  return show_shared(row, access, stride, swizzle, globals.json);
}

}  // namespace

Run make_banks(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<BanksOptions>();
  app.add_option("--access", o->access,
                 "lds or sts .32, .64, .128; ldmatrix or stmatrix .x1, .x2, .x4; of global memory "
                 "ldg .32, .64, .128")
      ->type_name("ACCESS")
      ->required();
  app.add_option("--stride", o->stride, "from lane to lane, or from row to row")
      ->type_name("BYTES")
      ->required();
  app.add_option("--base", o->base, "from an address aligned to 1024 to lane 0's")
      ->type_name("BYTES")
      ->capture_default_str();
  app.add_option("--swizzle", o->swizzle, "of the rows (default none)")->type_name("32B|64B|128B");
  return [o, &globals] { return run_banks(*o, globals); };
}

}  // namespace tilescope::cli
