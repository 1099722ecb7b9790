#include "core/workload/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/layout/problem.h"
#include "core/model/format.h"

namespace tilescope::workload {

namespace {

struct KindRow {
  LayerKind kind;
  const char* name;
  const char* split;
};
constexpr KindRow kRows[] = {
    {LayerKind::linear, "linear",
     "Each rank has its share of the tokens and all of W; dW and db are added over the ranks."},
    {LayerKind::column, "column",
     "W and b are split by output features; dX is added over the ranks."},
    {LayerKind::row, "row", "W is split by input features; Y is added over the ranks."},
    {LayerKind::mlp, "mlp",
     "Up is split by output features, down by input features; Y and dX are added over the ranks."},
};
const KindRow& row_of(LayerKind kind) { return *std::ranges::find(kRows, kind, &KindRow::kind); }
static_assert(std::size(kRows) == std::size(kLayerKinds));

}  // namespace

const char* name_of(LayerKind kind) { return row_of(kind).name; }

const char* split_words(LayerKind kind) { return row_of(kind).split; }

std::optional<LayerKind> kind_named(std::string_view name) {
  for (const KindRow& row : kRows) {
    if (name == row.name) return row.kind;
  }
  return std::nullopt;
}

std::string kind_names() {
  std::string names;
  for (const KindRow& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

Layer on_one_rank(Layer layer) {
  layer.ranks = layer.chunks = 1;
  layer.gather = false;
  return layer;
}

std::string why_not(const Layer& l) {
  struct Bound {
    const char* name;
    int value, most;
  };
  for (const Bound& b : {Bound{"tokens", l.tokens, kMaxExtent}, Bound{"in", l.in, kMaxExtent},
                         Bound{"out", l.out, kMaxExtent}, Bound{"ranks", l.ranks, kMostRanks},
                         Bound{"chunks", l.chunks, kMostChunks}}) {
    if (b.value >= 1 && b.value <= b.most) continue;
    return fmt::format("{} {} is out of range; choose 1 to {}", b.name, b.value,
                       model::grouped(b.most));
  }
  const bool of_tokens = l.kind == LayerKind::linear, of_in = l.kind == LayerKind::row;
  const int split = of_tokens ? l.tokens : of_in ? l.in : l.out;
  const char* name = of_tokens ? "tokens" : of_in ? "in" : "out";
  if (split < l.ranks) {
    return fmt::format("{} {} cannot be split over {} ranks; choose at most {} ranks", name, split,
                       l.ranks, split);
  }
  // What is added over the ranks, and so cut into chunks, has as many rows as tokens or, where
  // tokens are split, as W.
  const int rows = of_tokens ? l.out : l.tokens;
  if (rows < l.chunks) {
    return fmt::format("{} {} cannot be cut into {} chunks; choose at most {}",
                       of_tokens ? "out" : "tokens", rows, l.chunks, rows);
  }
  if (l.gather && !can_gather(l.kind)) {
    return fmt::format(
        "a {} layer has no Y to gather: it is whole or each rank's own; leave out "
        "gather, or choose column",
        name_of(l.kind));
  }
  return {};
}

}  // namespace tilescope::workload
