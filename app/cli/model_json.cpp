#include "app/cli/model_json.h"

#include <cstdint>

namespace tilescope::cli {
namespace {

/// Bytes are whole numbers.
Json bytes_json(double bytes) { return static_cast<uint64_t>(bytes); }

Json level_json(const model::MemoryLevel& level) {
  return {{"read", bytes_json(level.read)},
          {"write", bytes_json(level.write)},
          {"exact", level.exact},
          {"flop_per_byte", level.read + level.write > 0 ? Json(level.flop_per_byte) : Json()}};
}

}  // namespace

Json levels_json(const model::Traffic& t) {
  const model::Counts& c = t.counts;
  Json shared = level_json(t.shared);
  shared["wavefronts"] = c.shared_load.wavefronts + c.shared_store.wavefronts;
  shared["load_wavefronts"] = c.shared_load.wavefronts;
  shared["joined_load_wavefronts"] = c.joined_shared_load().wavefronts;  // what a card counts
  shared["store_wavefronts"] = c.shared_store.wavefronts;
  shared["conflicts"] = c.shared_load.conflicts() + c.shared_store.conflicts();
  // What cp.async writes is kept apart: the hardware's counters do not see it alike.
  shared["copy_wavefronts"] = c.shared_copy.wavefronts;
  shared["copy_conflicts"] = c.shared_copy.conflicts();
  shared["product_wavefronts"] = c.shared_product.wavefronts;  // what products read by themselves
  Json l1 = level_json(t.l1);
  const model::GlobalSum loads = c.global_load();
  l1["sectors"] = loads.sectors + c.global_store().sectors;
  l1["read_sectors"] = loads.sectors;
  l1["write_sectors"] = c.global_store().sectors;
  const model::GlobalSum bulk = c.bulk_load();
  l1["bulk_loads"] = {
      {"requests", bulk.requests}, {"sectors", bulk.sectors}, {"bytes", bulk.bytes}};
  const model::GlobalSum sent = c.bulk_store();
  l1["bulk_stores"] = {
      {"requests", sent.requests}, {"sectors", sent.sectors}, {"bytes", sent.bytes}};
  l1["requests"] = loads.requests + c.global_store().requests;
  return {{"registers", level_json(t.registers)},
          {"shared", shared},
          {"l1", l1},
          {"l2", level_json(t.l2)},
          {"dram", level_json(t.dram)}};
}

Json formulas_json(const model::Analysis& analysis) {
  Json all = Json::object();
  for (const model::Formula& f : model::all_formulas(analysis)) {
    all[f.key] = {{"title", f.title}, {"formula", f.symbols}, {"numbers", f.numbers},
                  {"value", f.value}, {"unit", f.unit},       {"exact", f.exact}};
  }
  return all;
}

}  // namespace tilescope::cli
