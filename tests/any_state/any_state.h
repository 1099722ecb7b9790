// States at random, the same for a seed: any kernel, tile, problem, selection and moment that a
// slider, a field, a click or a file can make, likely or not.
#pragma once
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

#include "app/features/access/access_hover.h"
#include "app/features/access/access_view.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/tiling/tiling_view.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "tests/random_tile.h"

namespace tilescope {

/// How many a test tries.
inline int states() {
  const char* said = std::getenv("TILESCOPE_STATES");
  if (said) return std::atoi(said);
  return std::getenv("TILESCOPE_ALL") ? 4000 : 250;
}

/// The first one's seed: a million are tried by many processes side by side.
inline int first_state() {
  const char* said = std::getenv("TILESCOPE_FIRST_STATE");
  return said ? std::atoi(said) : 0;
}

class AnyState {
 public:
  explicit AnyState(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(random_() % 10001) / 10000.0f;
  }
  template <class Array>
  auto one_of(const Array& values) {
    return values[random_() % std::size(values)];
  }

  /// 1 to 65,536, each size as likely as its double: skinny, ragged and huge matrices alike.
  int extent() {
    constexpr int kEdges[] = {1, 2, 3, 7, 8, 9, 13, 31, 32, 33, 127, 128, 129, 4096, 65535, 65536};
    if (one_in(3)) return one_of(kEdges);
    return static_cast<int>(std::exp2(between(0, 16)));
  }

  Problem problem(const KernelInfo& info) {
    Problem p = default_problem(info);
    p.m = extent(), p.n = extent(), p.k = extent();
    for (int tries = 0; tries < 8; ++tries) {
      const int layout = 1 << below(4);
      if ((info.layouts & layout) != 0) set_layout(p, layout);
      const int types = 1 << below(kTypeSets);
      if ((info.types & types) != 0) set_types(p, types_of_bit(types));
    }
    // What another kernel computes stays chosen where one is changed for the other.
    if (one_in(6)) set_types(p, types_of_bit(1 << below(kTypeSets)));
    if (one_in(6)) set_layout(p, 1 << below(4));
    if (one_in(2)) p.order_c = Order::column_major;
    if (one_in(4)) p.beta = 1;
    if (one_in(4)) p.bias = true;
    return p;
  }

  /// Of the values that sliders offer, and, rarely, any that a file may hold.
  TileConfig tile(const KernelEntry& kernel) {
    TileConfig t = kernel.sliders.defaults();
    if (!one_in(4)) t = random_tile(kernel, random_);
    if (!one_in(8)) return t;
    for (int i = 0; i < kernel.sliders.count; ++i) {
      if (one_in(3)) set(t, kernel.sliders.slider[i].field, one_in(4) ? extent() : below(300));
    }
    return t;
  }

  /// Mostly inside, sometimes far outside of what a plan has.
  viz::Selection selection() {
    const int far = one_in(4) ? 100000 : one_in(2) ? 64 : 8;
    viz::Selection s;
    s.cta = {below(far), below(far)};
    s.warp = below(far), s.mma_m = below(far), s.mma_n = below(far);
    s.lane = below(64), s.output = below(far);
    if (one_in(16)) s.cta.row = s.warp = s.lane = s.output = -1 - below(5);
    return s;
  }

  viz::Size size() {
    constexpr float kSizes[] = {0, 1, 40, 61, 90, 328, 412, 600, 842, 1280, 2560};
    return {one_of(kSizes), one_of(kSizes)};
  }

  /// What a pointer can be over, and what a picture of another state may still say.
  viz::Pick pick() {
    viz::Pick p;
    p.kind = static_cast<viz::Pick::Kind>(below(static_cast<int>(viz::Pick::Kind::point) + 1));
    p.level = static_cast<Level>(below(4));
    p.matrix = static_cast<int8_t>(below(4) - 1);
    p.row = extent() - 2, p.col = extent() - 2;
    p.cta_row = below(600), p.cta_col = below(600);
    p.warp = below(40), p.mma_m = below(20), p.mma_n = below(20);
    p.lane = below(40) - 1, p.value = below(1000) - 1, p.reg = below(300) - 1;
    p.stage = below(12) - 1, p.k_slice = extent() - 2, p.event = extent() - 2;
    return p;
  }

  /// What a worker may answer: events in their order, of as many warps as it likes, with accesses
  /// whose tiles and elements are known, half known, or of another plan.
  worker::TraceResult trace() {
    worker::TraceResult t;
    t.tile = {below(3), below(3)};
    t.warps = 1 + below(one_in(8) ? 32 : 8), t.epochs = below(7);
    t.k_slices = extent(), t.k_end = below(t.k_slices + 1), t.k_begin = below(t.k_end + 1);
    const auto known = [&](int most) {  // −1, 0 or any
      return static_cast<int16_t>(one_in(3) ? below(most) : below(2) - 1);
    };
    for (int epoch = 0, id = 0; epoch < t.epochs; ++epoch, id += one_in(4) ? 1 + below(50) : 1) {
      const int k_step = below(t.k_slices + 1) - 1;
      for (int warp = 0; warp < t.warps; ++warp) {
        uint32_t index = 0;
        for (int i = below(6); i > 0; --i) {
          worker::TraceEvent e;
          e.epoch = static_cast<uint32_t>(id), e.index = index;
          e.warp = static_cast<uint16_t>(warp);
          e.kind = one_in(2) ? worker::TraceEvent::Kind::mma
                             : static_cast<worker::TraceEvent::Kind>(below(7));
          e.count = static_cast<uint32_t>(one_in(2) ? 1 : 1 + below(40));
          e.line = below(300), e.ptx_line = below(3000);
          e.k_step = k_step, e.stage = below(10) - 1;
          e.matrix = static_cast<int8_t>(below(4) - 1), e.shared = one_in(2);
          e.group = below(5) - 1, e.groups_done = below(5);
          index += e.count;
          if (!one_in(4)) {
            e.first_raw = static_cast<int32_t>(t.raw.size());
            const bool one_record = e.kind == worker::TraceEvent::Kind::fma;
            for (uint32_t r = one_record ? 1 : e.count; r > 0; --r) {
              worker::RawAccess access;
              access.mma_m = known(12), access.mma_n = known(20), access.mma_k = known(9);
              if (one_in(3)) {
                access.touched.push_back(
                    {below(3), extent() - 1, extent() - 1, extent(), extent()});
              }
              t.raw.push_back(access);
            }
          }
          t.events.push_back(e);
          if (one_in(6)) t.lead.push_back(e);
        }
      }
      if (k_step >= 0) t.recorded_k_steps.push_back(k_step);
    }
    return t;
  }

  /// Buffers of any shape, and accesses in, across and outside of them, of one CTA or of a grid.
  worker::AccessAnswer accesses() {
    worker::AccessAnswer a;
    a.whole_grid = one_in(3), a.grid = {1 + below(4), 1 + below(4), 1};
    a.warps = static_cast<uint32_t>(1 + below(32));
    a.shared_bytes = one_in(3) ? 0 : static_cast<uint64_t>(1 + below(70000));
    for (int i = below(6); i > 0; --i) {
      worker::AccessBuffer& b = a.buffers.emplace_back();
      b.name = one_of(kNames), b.address = uint64_t{a.buffers.size()} << 40;
      b.element_bytes = 1u << below(4);
      b.rows = static_cast<uint64_t>(one_in(6) ? 1'000'000 : one_in(4) ? 1 : extent());
      b.cols = static_cast<uint64_t>(one_in(6) ? 1'000'000 : one_in(4) ? 1 : extent());
      b.by_columns = one_in(2), b.shaped = one_in(2);
      b.line = (b.by_columns ? b.rows : b.cols) + static_cast<uint64_t>(below(3));
      b.first = static_cast<uint64_t>(below(3) * below(64));
      b.bytes = b.first + b.line * (b.by_columns ? b.cols : b.rows) * b.element_bytes;
      b.matrix = below(4) - 1;
    }
    for (int i = 1 + below(5); i > 0; --i) {
      a.instructions.push_back({.ptx_line = 1 + below(300), .line = below(90)});
    }
    for (int i = 1 + below(6); i > 0; --i) {
      worker::AccessPattern& p = a.patterns.emplace_back();
      p.lanes = one_in(3) ? ~0u : random_(), p.bytes = 1u << below(5);
      const int64_t step = one_in(4) ? below(1 << 20) - (1 << 19) : below(40);
      for (size_t lane = 0; lane < 32; ++lane) {
        if (p.lanes >> lane & 1u) p.difference[lane] = step * static_cast<int64_t>(lane);
      }
    }
    for (int i = below(90); i > 0; --i) {
      worker::AccessRecord& r = a.records.emplace_back();
      const bool shared = one_in(3) || a.buffers.empty();
      const uint64_t bytes =
          shared ? a.shared_bytes : a.buffers[random_() % a.buffers.size()].bytes;
      const uint64_t of = one_in(9) ? 77 : a.buffers.empty() ? 1 : 1 + random_() % a.buffers.size();
      r.address = (shared ? 0 : of << 40) + random_() % (bytes + bytes / 8 + 9);
      a.moments += static_cast<uint32_t>(below(3));
      r.moment = a.moments, r.step = a.moments + static_cast<uint32_t>(below(5));
      r.cta = a.whole_grid ? random_() % 16 : 0;
      r.warp = static_cast<uint16_t>(random_() % a.warps);
      r.pattern = static_cast<uint32_t>(random_() % a.patterns.size());
      r.instruction = static_cast<uint32_t>(random_() % a.instructions.size());
      r.flags = static_cast<uint16_t>(random_() % 4 * 2 | (shared ? 1u : 0u));
      r.cost = static_cast<uint16_t>(below(70)), r.ideal = static_cast<uint16_t>(below(33));
    }
    ++a.moments;
    return a;
  }

  /// Any stretch of any warps' steps.
  RunSpan span() {
    RunSpan s;
    for (int i = below(40); i > 0; --i) {
      const auto from = static_cast<uint64_t>(below(one_in(8) ? 1 << 30 : 200));
      s.warps.push_back({from, one_in(4) ? ~uint64_t{0} : from + static_cast<uint64_t>(below(60))});
    }
    return s;
  }

  /// A launch whose accesses are known and looked at in any way; mostly of one's own.
  AppState state_of_accesses() {
    AppState s = state_of_a_rung();
    if (one_in(3) && s.derived.legal()) {
      s.results.edit_serial = s.edit_serial;
      s.results.compile.emplace();
    } else {
      open_own_kernel(s, own_kernel());
      confirm_launch(s, {});
    }
    AccessView& view = s.of<AccessView>();
    view.mode = below(4), view.reads = !one_in(4), view.writes = !one_in(4);
    view.whole_grid = one_in(3);
    select_cta(s, {below(9) - 2, below(9)}, below(3));
    const std::optional<AccessQuestion> question = access_question(s);
    if (!question) return s;
    take_accesses(view, *question, accesses());
    const AccessData& data = *view.data;
    view.first = below(9) - 1;
    for (size_t i = 0; i < data.matrices.size(); ++i) {
      const worker::AccessBuffer& m = data.matrices[i];
      AccessWindow w = shown_window(view, data, i);
      for (int turns = below(6); turns > 0; --turns) {
        w = zoomed(m, w, between(0.2f, 3), static_cast<double>(w.row),
                   static_cast<double>(w.col + w.cols));
        w = moved(m, w, below(4000) - 2000, below(4000) - 2000);
      }
      if (one_in(2)) view.windows[i] = w;
      const AccessElement e{i, random_() % m.rows, random_() % m.cols};
      if (one_in(4)) view.hovered = e, s.hover_before.touchers = touchers_of(s, data, e);
      if (one_in(4)) choose_element(s, e);
    }
    if (one_in(2)) brush(s, span());
    if (one_in(4)) {
      const auto from = static_cast<uint32_t>(below(200));
      brush(s, span_of_moments(data, from, from + static_cast<uint32_t>(below(90))));
    }
    if (one_in(3)) s.hover_before.code = {below(90), below(300)};
    if (one_in(3)) choose_instruction(s, data.answer.instructions[0]);
    return s;
  }

  OwnKernel own_kernel() {
    constexpr const char* kFiles[] = {"/a/sgemm.cu", "b.ptx", "/", "", "ü\n/\".cu"};
    constexpr const char* kSheets[] = {"", "{}", R"({"entry": "sgemm"})", "[", "\xff"};
    return {one_of(kFiles), one_of(kSheets)};
  }

  /// A state that was edited, clicked and looked at; of a kernel of one's own now and then.
  AppState state() {
    AppState s = state_of_a_rung();
    if (one_in(12)) open_own_kernel(s, own_kernel());
    return s;
  }

  AppState state_of_a_rung() {
    AppState s = initial_state();
    const KernelTable kernels = kernel_table();
    const KernelEntry& kernel = kernels.entries[below(kernels.count)];
    Edit edit = s.edit;
    edit.change_rung().kernel = kernel.info.id;
    edit.change_rung().tile = tile(kernel);
    edit.problem = problem(kernel.info);
    set_edit(s, edit);
    const viz::Selection chosen = selection();
    select_cta(s, chosen.cta);
    select_warp(s, chosen.warp);
    select_mma(s, chosen.mma_m, chosen.mma_n);
    select_lane(s, chosen.lane);
    select_value(s, static_cast<Operand>(below(3)), chosen.output);
    select_level(s, below(6));
    if (!one_in(3)) {
      s.results.trace = std::make_shared<const worker::TraceResult>(trace());
      s.results.timeline = std::make_shared<const Timeline>(*s.results.trace);
      s.results.edit_serial = one_in(8) ? 0 : s.edit_serial;
      if (one_in(2)) select_cta(s, s.results.trace->tile);
      settle_playhead(s);
      scrub(s, below(std::max(1, s.results.timeline->columns()) + 3));
      step_events(s, below(7) - 3);
      step_k(s, below(3) - 1);
    }
    choose_k_step(s, extent() - 1);
    if (one_in(2)) s.hover_before.pick = pick();
    if (one_in(4)) s.hover_before.code = {below(300), below(3000)};
    if (one_in(4)) brush(s, span());
    s.of<TilingView>().side_by_side = one_in(2);
    s.of<FragmentView>().tab = below(5), s.of<FragmentView>().operand = below(2);
    s.of<FragmentView>().cure = below(2), s.of<FragmentView>().phase = below(4);
    s.view.count_elements = one_in(2);
    return s;
  }

 private:
  static constexpr const char* kNames[] = {"A", "", "out of range", "ünïcode"};
  std::mt19937 random_;
};

}  // namespace tilescope
