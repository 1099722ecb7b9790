#include "core/model/traffic.h"

#include "core/layout/hierarchy.h"
#include "core/model/packing_counts.h"
#include "core/model/tile_classes.h"
#include "core/model/walked.h"
#include "core/model/warp_walk.h"

namespace tilescope::model {
namespace {

/// Parts of tiles, each a line of each thread's sums after the other; who waits for a tile's parts
/// reads its counter, and who adds them sets it back.
void count_sums(const KernelPlan& plan, Counts& counts) {
  const SharedWork shared = shared_work(plan.work);
  if (shared.tiles == 0) return;
  GlobalSum part, counter;
  for (const LikeAccesses& like : walk_part(plan)) part.add(like);
  WarpAccess word;
  word.add(0, 0);
  counter.add(word);
  const auto counters =
      static_cast<uint64_t>(shared.tiles) * static_cast<uint64_t>(plan.work.counters);
  counts.load_sums.add(part, static_cast<uint64_t>(shared.parts));
  counts.store_sums = counts.load_sums;
  if (cuts_slices(plan.work)) counts.load_sums.add(counter, counters);
  counts.store_sums.add(counter, counters);
}

/// Atoms computed, or the lanes' products in them: edges are padded with zeros and multiplied too,
/// but by kernels that look at each element for itself.
void count_arithmetic(const KernelPlan& plan, const Problem& p, Counts& counts) {
  const Hierarchy h = hierarchy_of(plan);
  const LevelRow& atom = h[Level::atom];
  const uint64_t atoms =
      1ull * plan.work.raster.tiles() * plan.work.k_slices * h[Level::warp].parts() * atom.parts();
  if (h.lanes_share_atoms()) {
    counts.mma = atoms * static_cast<uint64_t>(plan.warps_per_atom() * plan.split.products());
  } else if (!fills_shared(plan.copy_a.kind)) {
    counts.fma = 1ull * p.m * p.n * p.k;
  } else {
    counts.fma = atoms * atom.box.m * atom.box.n * atom.box.k;
  }
}

void count_shared(const KernelPlan& plan, const Walked& w, Counts& counts) {
  const auto slices =
      static_cast<uint64_t>(plan.work.raster.tiles()) * static_cast<uint64_t>(plan.work.k_slices);
  for (const Operand o : {Operand::a, Operand::b}) {
    SharedSum& to = asynchronous(copy_of(plan, o).kind) ? counts.shared_copy : counts.shared_store;
    to.add(o == Operand::a ? w.slice.write_a : w.slice.write_b, slices);
  }
  counts.shared_load.add(w.slice.reads, slices);
  counts.joined_load.add(w.slice.joined_reads, slices);
  counts.shared_product.add(w.slice.product_reads, slices);
  counts.shared_load.add(w.slice.split_loads, slices);
  counts.joined_load.add(w.slice.split_loads, slices);
  counts.shared_store.add(w.slice.split_stores, slices);
  // Fragments loaded ahead: before the first k step, and in vain after the last.
  const int ahead = plan.load_a.register_stages - 1;
  if (ahead > 0) {
    const auto times = static_cast<uint64_t>(count_items(plan.work) * ahead);
    counts.shared_load.add(w.slice.step_reads, times),
        counts.joined_load.add(w.slice.step_reads, times);
  }
  counts.epilogue_store = w.epilogue.stores, counts.epilogue_load = w.epilogue.loads;
  counts.box_load = w.epilogue.box_loads;
  counts.shared_product.add(counts.box_load, 1);
  counts.shared_store.add(counts.epilogue_store, 1);
  counts.shared_load.add(counts.epilogue_load, 1);
}

/// One direction of a level.
struct Moved {
  double bytes = 0, elements = 0;
  void add(double more_bytes, double more_elements) {
    bytes += more_bytes, elements += more_elements;
  }
};
MemoryLevel level(const Moved& read, const Moved& write, bool exact, double flop) {
  const double bytes = read.bytes + write.bytes;
  return {read.bytes,    write.bytes,   exact, bytes > 0 ? flop / bytes : 0,
          read.elements, write.elements};
}

/// Sectors of an operand's lines that one CTA touches, over all CTAs: what L2 sends if the L1 keeps
/// each until its last element is read.
uint64_t sectors_once_per_cta(const Problem& p, Operand o, const Work& work) {
  const bool is_a = o == Operand::a;
  const Blocks& outer = is_a ? work.m : work.n;
  const Steps steps = element_steps(p, o);
  const int64_t outer_step = is_a ? steps.row : steps.col, k_step = is_a ? steps.col : steps.row;
  const bool along_k = k_step < outer_step;
  const Blocks lines{1, along_k ? is_a ? p.m : p.n : p.k, 0};
  const Blocks pieces = along_k ? Blocks{p.k, 1, 0} : outer;
  uint64_t sectors = 0;
  for_each_class(
      global_offset(p, o, {0, 0}), lines, along_k ? outer_step : k_step, pieces,
      pieces.block * min_of(outer_step, k_step), [&](int, int elements, const Phases& phases) {
        const int64_t bytes = elements * min_of(outer_step, k_step);
        for (size_t phase = 0; phase < phases.size(); ++phase) {
          const int64_t end = static_cast<int64_t>(phase) % kSectorBytes + bytes;
          sectors += phases[phase] * static_cast<uint64_t>((end + kSectorBytes - 1) / kSectorBytes);
        }
      });
  return sectors * static_cast<uint64_t>((is_a ? work.n : work.m).count());
}

/// The same of the bias, of which each tile touches what belongs to its columns.
uint64_t bias_sectors_once_per_cta(const Problem& p, const Work& work) {
  if (!p.bias) return 0;
  uint64_t sectors = 0;
  for (int tile = 0; tile < work.n.count(); ++tile) {
    const int first = tile * work.n.block, last = min_of(first + work.n.block, p.n) - 1;
    sectors += static_cast<uint64_t>(bias_offset(p, {0, last}) / kSectorBytes -
                                     bias_offset(p, {0, first}) / kSectorBytes + 1);
  }
  return sectors * static_cast<uint64_t>(work.m.count());
}

/// Sectors that L2 sends of one operand.
uint64_t fetched(const KernelPlan& plan, const Problem& p, Operand o, const GlobalSum& sum) {
  const CopyMap& map = copy_of(plan, o);
  // What CTAs of a cluster share comes to each of their SMs.
  return passes_l1_by(map) ? sum.fetched * static_cast<uint64_t>(map.shared_by)
                           : sectors_once_per_cta(p, o, work_of(plan, p));
}

}  // namespace

SharedSum Counts::joined_shared_load() const {
  SharedSum sum = joined_load;
  sum.add(epilogue_load, 1);
  return sum;
}

GlobalSum Counts::global_load() const {
  GlobalSum sum = load_c;
  if (!boxes_a) sum.add(load_a, 1);
  if (!boxes_b) sum.add(load_b, 1);
  sum.add(load_bias, 1);
  sum.add(load_sums, 1);
  sum.add(load_pack, 1);
  return sum;
}

GlobalSum Counts::bulk_load() const {
  GlobalSum sum;
  if (boxes_a) sum.add(load_a, 1);
  if (boxes_b) sum.add(load_b, 1);
  return sum;
}

GlobalSum Counts::global_store() const {
  GlobalSum sum;
  if (!boxes_c) sum.add(store_c, 1);
  sum.add(store_sums, 1);
  sum.add(store_pack, 1);
  return sum;
}

GlobalSum Counts::bulk_store() const { return boxes_c ? store_c : GlobalSum(); }

Counts count(const KernelPlan& plan, const Problem& given) {
  const Problem p = problem_read(plan, given);
  const Walked w = walked(plan, p);
  Counts counts;
  counts.ctas = static_cast<uint64_t>(cta_count(plan.work));
  counts.load_a = w.load_a, counts.load_b = w.load_b, counts.store_c = w.epilogue.store_c;
  counts.boxes_a = by_boxes(plan.copy_a.kind), counts.boxes_b = by_boxes(plan.copy_b.kind);
  counts.boxes_c = plan.epilogue.kind == EpilogueKind::boxes;
  if (p.beta != 0.0f) counts.load_c = w.epilogue.load_c;
  counts.load_bias = w.epilogue.load_bias;
  count_sums(plan, counts);
  const PackingCounts pass = count_packing(plan, given);
  counts.load_pack = pass.load, counts.store_pack = pass.store;
  count_shared(plan, w, counts);
  count_arithmetic(plan, p, counts);
  return counts;
}

Traffic traffic(const KernelPlan& plan, const Problem& p) {
  Traffic t;
  t.counts = count(plan, p);
  const Counts& c = t.counts;
  const double flop = flops(p);
  const bool reads_c = p.beta != 0.0f;
  const auto of = [&](Operand o, double bytes) {
    return Moved{bytes, bytes / element_bytes(operand_type(p, o))};
  };
  const auto sum = [](std::initializer_list<Moved> parts) {
    Moved all;
    for (const Moved& part : parts) all.add(part.bytes, part.elements);
    return all;
  };
  const Arithmetic one = arithmetic_of(plan);
  const double operations =
      static_cast<double>(c.fma) + static_cast<double>(c.mma) / plan.warps_per_atom();
  const auto held = [&](Operand o, int values) {
    const double all = operations * values;
    return Moved{all * fragment_of(plan.atom, o).bits / 8, all};
  };
  const Moved accumulator = held(Operand::c, one.c);
  t.registers = level(sum({held(Operand::a, one.a), held(Operand::b, one.b), accumulator}),
                      accumulator, true, flop);
  const auto shared = [&](double bytes, uint64_t sums) {
    return Moved{bytes, shared_elements(p, bytes, sums, c)};
  };
  t.shared = level(
      shared(static_cast<double>(c.shared_load.bytes + c.shared_product.bytes), c.sums_read()),
      shared(static_cast<double>(c.shared_store.bytes + c.shared_copy.bytes), c.sums_written()),
      true, flop);
  const auto sums = [](uint64_t bytes) {
    return Moved{static_cast<double>(bytes), static_cast<double>(bytes) / 4};
  };
  // The pass reads and writes each element of an operand once; what it reads twice, L1 has.
  const auto packed = [&p](uint64_t bytes) {
    return Moved{static_cast<double>(bytes), static_cast<double>(bytes) / element_bytes(p.type_a)};
  };
  const Moved pass = [&] {
    Moved all;
    for (const Operand o : {Operand::a, Operand::b}) {
      if (packs(plan.spec, o)) all = sum({all, of(o, operand_size_bytes(p, o))});
    }
    return all;
  }();
  t.packed_bytes = pass.bytes, t.operand_bytes = element_bytes(p.type_a);
  t.l1 = level(sum({of(Operand::a, c.boxes_a ? 0 : static_cast<double>(c.load_a.bytes)),
                    of(Operand::b, c.boxes_b ? 0 : static_cast<double>(c.load_b.bytes)),
                    of(Operand::c, static_cast<double>(c.load_c.bytes + c.load_bias.bytes)),
                    sums(c.load_sums.bytes), packed(c.load_pack.bytes)}),
               sum({of(Operand::c, c.boxes_c ? 0 : static_cast<double>(c.store_c.bytes)),
                    sums(c.store_sums.bytes), packed(c.store_pack.bytes)}),
               true, flop);
  const double size_a = static_cast<double>(operand_size_bytes(p, Operand::a));
  const double size_b = static_cast<double>(operand_size_bytes(p, Operand::b));
  const Moved all_c = of(Operand::c, static_cast<double>(operand_size_bytes(p, Operand::c)));
  const Moved read_c = reads_c ? all_c : Moved{};
  t.fetched_a = fetched(plan, p, Operand::a, c.load_a);
  t.fetched_b = fetched(plan, p, Operand::b, c.load_b);
  t.fetched_bias = bias_sectors_once_per_cta(p, work_of(plan, p));
  const Moved bias = of(Operand::c, static_cast<double>(bias_bytes(p)));
  t.l2 = level(sum({of(Operand::a, static_cast<double>(t.fetched_a) * kSectorBytes),
                    of(Operand::b, static_cast<double>(t.fetched_b) * kSectorBytes), read_c,
                    of(Operand::c, static_cast<double>(t.fetched_bias) * kSectorBytes),
                    sums(c.load_sums.sectors * kSectorBytes), pass}),
               sum({of(Operand::c, static_cast<double>(c.store_c.sectors) * kSectorBytes),
                    sums(c.store_sums.sectors * kSectorBytes), pass}),
               false, flop);
  t.dram = level(sum({of(Operand::a, size_a), of(Operand::b, size_b), read_c, bias, pass}),
                 sum({all_c, pass}), false, flop);
  return t;
}

Traffic without_pass(Traffic t) {
  const auto less = [&t](double& bytes, double& elements, double pass) {
    bytes -= pass, elements -= pass / t.operand_bytes;
  };
  less(t.l1.read, t.l1.read_elements, static_cast<double>(t.counts.load_pack.bytes));
  less(t.l1.write, t.l1.write_elements, static_cast<double>(t.counts.store_pack.bytes));
  for (MemoryLevel* level : {&t.l2, &t.dram}) {
    less(level->read, level->read_elements, t.packed_bytes);
    less(level->write, level->write_elements, t.packed_bytes);
  }
  t.counts.load_pack = t.counts.store_pack = {};
  t.packed_bytes = 0;
  return t;
}

double global_elements(const Problem& p, double load_bytes, double store_bytes,
                       const Counts& modelled) {
  const auto load_sums = static_cast<double>(modelled.load_sums.bytes);
  const auto store_sums = static_cast<double>(modelled.store_sums.bytes);
  const auto packed = static_cast<double>(modelled.store_pack.bytes);  // read as A and B are
  const double written = store_bytes - store_sums - packed;
  const double read_c = (p.beta == 0.0f     ? 0
                         : modelled.boxes_c ? static_cast<double>(modelled.load_c.bytes)
                                            : written) +
                        static_cast<double>(modelled.load_bias.bytes);
  return (load_bytes - load_sums - read_c) / element_bytes(p.type_a) +
         (written + read_c) / element_bytes(p.type_c) + (load_sums + store_sums) / 4 +
         packed / element_bytes(p.type_a);
}

int sum_element_bytes(const Problem& p, const Counts& modelled) {
  return element_bytes(modelled.boxes_c ? p.type_c : ElementType::f32);
}

double shared_elements(const Problem& p, double bytes, uint64_t sum_bytes, const Counts& modelled) {
  const auto sums = static_cast<double>(sum_bytes);
  return (bytes - sums) / element_bytes(p.type_a) + sums / sum_element_bytes(p, modelled);
}

}  // namespace tilescope::model
