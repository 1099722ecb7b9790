#include "app/cli/own_origin.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/cli_error.h"
#include "app/cli/output.h"
#include "core/model/format.h"

namespace tilescope::cli {
namespace {

namespace calls = worker::calls;

BlockIndex block_of(uint64_t index, const sheet::Extent& grid) {
  return {static_cast<int>(index % grid.x), static_cast<int>(index / grid.x % grid.y),
          static_cast<int>(index / grid.x / grid.y)};
}

BlockIndex who_stores(const worker::StoresResult& stores, const Ask& ask) {
  for (const worker::CtaStores& cta : stores.ctas) {
    const bool stored = std::ranges::any_of(cta.boxes, [&](const worker::TouchedBox& b) {
      return ask.row >= b.row && ask.row < b.row + b.rows && ask.col >= b.col &&
             ask.col < b.col + b.cols;
    });
    if (stored) return cta.cta;
  }
  throw CliError(
      kBadUsage,
      fmt::format("--ask: none of the {} CTAs that were looked at stores C[{}, {}]; "
                  "name one with --ctas",
                  model::grouped(static_cast<long long>(stores.ctas.size())), ask.row, ask.col));
}

}  // namespace

void print_origin(const worker::OriginResult& r) {
  print(fmt::format("{} {} {}", r.of, r.kind == "element" ? "holds" : "=", r.text));
  for (const worker::OriginResult::Way& way : r.ways) {
    std::string text = way.of.empty() ? "  then" : "  " + way.of + ":";
    for (const worker::OriginResult::Step& s : way.steps) {
      text += fmt::format(" {}{} (PTX line {}{})", &s == &way.steps.front() ? "" : "→ ", s.opcode,
                          s.ptx_line, s.line > 0 ? fmt::format(", line {}", s.line) : "");
    }
    print(text);
  }
  if (!r.wrong.empty()) print("  wrong: " + r.wrong);
}

std::vector<worker::OriginResult> element_origins(const OwnFlags& flags, const OwnLaunch& own,
                                                  const std::vector<Ask>& elements,
                                                  std::optional<uint64_t> cta,
                                                  WorkerSession& worker) {
  std::vector<worker::OriginResult> origins;
  if (elements.empty()) return origins;
  const sheet::GemmSheet& gemm = own.sheet.gemm.value();
  for (const Ask& ask : elements) {
    if (ask.row < gemm.m && ask.col < gemm.n) continue;
    throw CliError(kBadUsage, fmt::format("--ask: C[{}, {}] lies outside of C, which is {} × {}",
                                          ask.row, ask.col, gemm.m, gemm.n));
  }
  const worker::calls::Bounds bounds = bounds_of(flags);
  worker::StoresResult stores;
  if (!cta) {
    calls::Stores::Request request;
    request.launch = launch_request(own);
    request.bounds = bounds;
    request.argument = gemm.c;
    request.grid_lane_instructions = bounds.max_lane_instructions;
    stores = worker.call<calls::Stores>(request);
  }
  for (const Ask& ask : elements) {
    calls::Origin::Request request;
    request.launch = launch_request(own);
    request.bounds = bounds;
    request.question = question_of(ask);
    request.question.cta = cta ? block_of(*cta, *own.sheet.grid) : who_stores(stores, ask);
    origins.push_back(worker.call<calls::Origin>(request));
  }
  return origins;
}

}  // namespace tilescope::cli
