// Layers of well-known networks, as rows of data.
#pragma once
#include <span>

#include "core/workload/layer.h"

namespace tilescope {

struct LayerPreset {
  const char* name;    // "qwen2.5-72B · MLP up"
  const char* source;  // where the shape comes from, for the tooltip
  workload::LayerKind kind;
  int in = 0, out = 0;
};

std::span<const LayerPreset> layer_presets();
/// The one that a layer's kind and features are; null: none.
const LayerPreset* preset_of(const workload::Layer& layer);
/// The layer with the preset's kind and features; tokens and split stay as they are.
workload::Layer with_preset(workload::Layer layer, const LayerPreset& preset);

}  // namespace tilescope
