// A layer of a network, as people choose it: what it computes, its shapes, over how many ranks.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/layout/element_type.h"

namespace tilescope::workload {

/// All compute Y = X·Wᵀ + b and its gradients. linear: each rank has its share of the tokens.
/// column: W and b are split by output features. row: W is split by input features, and the ranks'
/// parts of Y are added. mlp: a column layer up and a row layer down, without the activation
/// between them.
enum class LayerKind { linear, column, row, mlp };
inline constexpr LayerKind kLayerKinds[] = {LayerKind::linear, LayerKind::column, LayerKind::row,
                                            LayerKind::mlp};
/// "linear", as on the command line.
const char* name_of(LayerKind kind);
/// What is split over the ranks, in a sentence.
const char* split_words(LayerKind kind);
std::optional<LayerKind> kind_named(std::string_view name);
/// "linear, column, …": for a sentence.
std::string kind_names();
/// Y is split over the ranks, and so can be put together on all.
constexpr bool can_gather(LayerKind kind) { return kind == LayerKind::column; }

struct Layer {
  LayerKind kind = LayerKind::linear;
  int tokens = 4096;  // rows of X
  int in = 8192;      // features of X
  int out = 29696;    // features of Y; of an mlp those between its two products
  int ranks = 1;
  int chunks = 1;       // into which a product is cut whose result is added over the ranks
  bool gather = false;  // column: Y whole on every rank, after an all-gather
  bool overlap = true;  // sums run beside the products that follow them
  bool operator==(const Layer&) const = default;
};
inline constexpr int kMostRanks = 64, kMostChunks = 64;

/// The same layer in one piece: what a split one must come to.
Layer on_one_rank(Layer layer);

/// Why there is no such layer, in a sentence; empty if there is.
std::string why_not(const Layer& layer);

}  // namespace tilescope::workload
