#include "app/features/layer/layer_presets.h"

namespace tilescope {
namespace {

using workload::Layer;
using workload::LayerKind;

// Hidden size, and the one between the two products of the MLP, as the models' configurations have
// them. Of gated MLPs, up is one of two products that read the same X.
constexpr LayerPreset kPresets[] = {
    {"qwen2.5-72B · MLP up", "hidden 8,192, intermediate 29,696: the notes' shapes",
     LayerKind::column, 8192, 29696},
    {"qwen2.5-72B · MLP down", "intermediate 29,696, hidden 8,192: the notes' shapes",
     LayerKind::row, 29696, 8192},
    {"qwen2.5-72B · MLP block", "up and down, without the gate", LayerKind::mlp, 8192, 29696},
    {"qwen2.5-72B · QKV", "64 heads of 128 and 8 each for K and V", LayerKind::column, 8192, 10240},
    {"qwen2.5-72B · attention output", "64 heads of 128", LayerKind::row, 8192, 8192},
    {"Llama-3 8B · MLP up", "hidden 4,096, intermediate 14,336", LayerKind::column, 4096, 14336},
    {"Llama-3 8B · MLP down", "intermediate 14,336, hidden 4,096", LayerKind::row, 14336, 4096},
    {"Llama-3 8B · MLP block", "up and down, without the gate", LayerKind::mlp, 4096, 14336},
    {"Llama-3 8B · QKV", "32 heads of 128 and 8 each for K and V", LayerKind::column, 4096, 6144},
    {"Llama-3 70B · MLP up", "hidden 8,192, intermediate 28,672", LayerKind::column, 8192, 28672},
    {"Llama-3 70B · MLP down", "intermediate 28,672, hidden 8,192", LayerKind::row, 28672, 8192},
    {"Llama-3 70B · MLP block", "up and down, without the gate", LayerKind::mlp, 8192, 28672},
    {"GPT-2 · MLP up", "hidden 768, 4 × 768 between", LayerKind::column, 768, 3072},
    {"GPT-2 · MLP block", "up and down", LayerKind::mlp, 768, 3072},
    {"GPT-2 · QKV", "12 heads of 64, each with Q, K and V", LayerKind::column, 768, 2304},
    {"GPT-2 · logits", "hidden 768, a vocabulary of 50,257", LayerKind::linear, 768, 50257},
};

}  // namespace

std::span<const LayerPreset> layer_presets() { return kPresets; }

const LayerPreset* preset_of(const Layer& l) {
  for (const LayerPreset& p : kPresets) {
    if (p.kind == l.kind && p.in == l.in && p.out == l.out) return &p;
  }
  return nullptr;
}

Layer with_preset(Layer layer, const LayerPreset& preset) {
  layer.kind = preset.kind;
  layer.in = preset.in, layer.out = preset.out;
  // What only another kind has would make the preset illegal.
  layer.gather = layer.gather && can_gather(preset.kind);
  return layer;
}

}  // namespace tilescope
