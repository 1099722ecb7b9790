// The ring of shared-memory stages and the ruler of all k slices.
#include <algorithm>
#include <cmath>

#include "core/layout/box_store.h"
#include "core/layout/shared_reads.h"
#include "viz/scene/tiling/tiling_parts.h"

namespace tilescope::viz {
namespace {

/// How a state is drawn and named: in a wide box and in a narrow one.
struct StateLook {
  Color Palette::*color;
  const char* words;
  const char* word;
};
const StateLook& look_of(StageState::State state) {
  static constexpr StateLook kLooks[] = {
      {.color = &Palette::faint, .words = "empty", .word = "empty"},
      {.color = &Palette::copy, .words = "filling", .word = "filling"},
      {.color = &Palette::copy, .words = "issued, not waited for", .word = "issued"},
      {.color = &Palette::ok, .words = "ready", .word = "ready"},
      {.color = &Palette::mma, .words = "in use", .word = "in use"},
      {.color = &Palette::faint, .words = "read, free again", .word = "read"},
  };
  return kLooks[static_cast<int>(state)];
}
Color state_color(const Palette& p, StageState::State state) { return p.*look_of(state).color; }

void state_icon(SceneBuilder& b, StageState::State state, float x, float y) {
  const Color color = state_color(b.palette(), state);
  switch (state) {
    case StageState::State::in_use:
      return b.triangle({x, y}, 4, Way::right, color);
    case StageState::State::ready:
      return b.tick({x, y}, 4, color);
    case StageState::State::filling:
      return b.triangle({x, y}, 4, Way::down, color);
    case StageState::State::issued:
      return b.circle({x, y}, 3.5f, color, color);
    default:
      return b.circle({x, y}, 3.5f, {}, color);
  }
}

/// A and B of one stage, filled as far as the copies have come, the k step being read hot.
/// Returns the right edge.
float mini_tiles(SceneBuilder& b, const TilingContext& t, const StageState& s, float x,
                 float middle, float width, float height) {
  const Palette& p = b.palette();
  const auto m = static_cast<float>(t.plan.block_m), n = static_cast<float>(t.plan.block_n),
             k = static_cast<float>(t.plan.block_k);
  const float scale = std::min({height / m, 1.1f * height / n, (width - 4) / (n + k)});
  const float k_px = std::clamp(std::round(k * scale), 4.0f, height);
  const float y = std::round(middle - std::max(k_px, m * scale) / 2);
  const Box a{x, y, k_px, std::max(4.0f, std::round(m * scale))};
  const Box bb{x + k_px + 4, y, std::max(4.0f, std::round(n * scale)), k_px};
  const bool reading = s.state == StageState::State::in_use;
  const auto steps = static_cast<float>(k_steps(t.plan));
  const auto step = static_cast<float>(t.moment.k_step);
  for (const Operand o : {Operand::a, Operand::b}) {
    const Box box = o == Operand::a ? a : bb;
    const Color color = operand_color(p, o);
    b.rect(box, fade(color, 0.14f));
    const float filled = s.state == StageState::State::empty ? 0 : std::round(box.h * s.fraction);
    if (filled > 0) b.rect({box.x, box.y, box.w, filled}, fade(color, 0.45f));
    if (reading) {
      const Color hot = mix(color, p.select, 0.25f);
      const float px = k_px / steps;
      if (o == Operand::a) {
        b.rect({box.x + std::floor(step * px), box.y, std::max(1.0f, std::round(px)), box.h}, hot);
      } else {
        b.rect({box.x, box.y + std::floor(step * px), box.w, std::max(1.0f, std::round(px))}, hot);
      }
    }
    b.rect(box, {}, fade(color, 0.8f));
  }
  return bb.right();
}

/// A sentence, and what is left of it in a narrow box.
struct Note {
  std::string whole, brief;
};
Note note_of(const TilingContext& t, const StageState& s) {
  switch (s.state) {
    case StageState::State::in_use: {
      const int step = t.moment.k_step;
      return {wording("warps read k step {}", step), wording("k step {}", step)};
    }
    case StageState::State::ready:
      return {"waits for its turn", "waits"};
    case StageState::State::issued:
      return {wording("{} copies under way", grouped(s.copies)), "under way"};
    case StageState::State::done:
      return {"all of it multiplied", "multiplied"};
    case StageState::State::filling: {
      const std::string percent = std::to_string(static_cast<int>(s.fraction * 100 + 0.5f)) + " %";
      return {s.copies > 0 ? wording("{} of {} copies", percent, grouped(s.copies))
                           : wording("{} copied", percent),
              percent};
    }
    default:
      return {"nothing to copy", "–"};
  }
}

void stage_box(SceneBuilder& b, const TilingContext& t, const StageState& s, Box box, bool known) {
  const Palette& p = b.palette();
  Pick pick;
  pick.kind = Pick::Kind::stage, pick.level = Level::cta;
  pick.stage = s.stage, pick.k_slice = s.k_slice;
  b.rect(box, p.frame, p.border, 3);
  b.pickable(pick);
  if (known) b.rect({box.x, box.y, 3, box.h}, state_color(p, s.state));
  const std::string stage = wording("stage {}", s.stage);
  const float middle = box.y + box.h / 2;
  const float tile_h = std::min(box.h - 14, 110.0f);
  float x = box.x + 12;
  const bool pictures = box.w >= 150 && tile_h >= 16;
  if (pictures) x = mini_tiles(b, t, s, x, middle, box.w * 0.42f, tile_h) + 12;
  const float room = box.right() - 8 - x;
  if (!known) {
    b.text(x, middle - 8, stage, {p.text, 13, Weight::semibold, Align::left, room});
    b.text(x, middle + 9, grouped(t.plan.stage_bytes()) + " B",
           {p.dim, 11, Weight::mono, Align::left, room});
    return;
  }
  const std::string title = s.k_slice >= 0 ? wording("k slice {}", grouped(s.k_slice)) : stage;
  const float line = box.h >= 52 ? 16.0f : 13.0f;
  const bool three = box.h >= 44;
  const float title_w = b.text(x, middle - (three ? line - 1 : line / 2), title,
                               {p.text, 13, Weight::semibold, Align::left, room});
  const float stage_w = b.width(stage, 11);
  if (s.k_slice >= 0 && title_w + stage_w + 12 < room) {
    b.text(box.right() - 8, middle - (three ? line - 1 : line / 2), stage,
           {p.dim, 11, Weight::regular, Align::right});
  }
  const float y = middle + (three ? 1 : line / 2);
  if (room > 24) state_icon(b, s.state, x + 5, y);
  const StateLook& look = look_of(s.state);
  b.text_that_fits(x + 15, y, {look.words, look.word},
                   {p.text, 12, Weight::regular, Align::left, room - 15});
  if (three) {
    const Note note = note_of(t, s);
    b.text_that_fits(x, middle + line + 1, {note.whole, note.brief},
                     {p.dim, 11, Weight::regular, Align::left, room});
  }
}

/// A ring that does not fit: boxes to scale, the limit drawn through them.
void too_large(SceneBuilder& b, const TilingContext& t, Box box) {
  const Palette& p = b.palette();
  const int n = t.plan.stages();
  const auto used = static_cast<float>(t.plan.shared_bytes());
  const float height = std::min(box.h - 20, 80.0f), width = box.w / static_cast<float>(n);
  for (int i = 0; i < n; ++i) {
    const float x = std::round(box.x + static_cast<float>(i) * width);
    const Box at{x, box.y, std::round(box.x + static_cast<float>(i + 1) * width) - x - 3, height};
    const bool over = 1LL * (i + 1) * t.plan.stage_bytes() > t.state.shared_limit;
    b.rect(at, over ? p.warning_ground : p.frame, over ? p.warning : p.border, 3);
    Pick pick;
    pick.kind = Pick::Kind::stage, pick.level = Level::cta, pick.stage = i;
    b.pickable(pick);
    if (over) b.hatch(at.grown(-1), {}, fade(p.warning, 0.35f), 5);
    b.text(at.x + at.w / 2, at.y + height / 2 - 8, wording("stage {}", i),
           {p.text, 11, Weight::regular, Align::center, at.w - 6});
    if (at.w > 36 && height > 40) {
      b.rect({at.x + at.w / 2 - 14, at.y + height / 2 + 2, 9, 18}, fade(p.a, 0.5f));
      b.rect({at.x + at.w / 2 - 2, at.y + height / 2 + 6, 18, 9}, fade(p.b, 0.5f));
    }
  }
  const float x = std::round(box.x + box.w * static_cast<float>(t.state.shared_limit) / used);
  b.line({x, box.y - 2}, {x, box.y + height + 6}, p.warning, 2);
  const std::string note = wording("a block ends here: {} B", grouped(t.state.shared_limit));
  const bool left = x - box.x > b.width(note, 11) + 8;
  b.text(left ? x - 6 : x + 8, box.y + height + 12, note,
         {p.warning, 11, Weight::semibold, left ? Align::right : Align::left,
          left ? x - 6 - box.x : box.right() - x - 8});
}

void ruler(SceneBuilder& b, const TilingContext& t, Box box) {
  const Palette& p = b.palette();
  const int n = t.plan.work.k_slices;
  const float y = box.y + box.h / 2;
  const float left = b.text(box.x, y, "k", {p.dim, 11}) + 8;
  const std::string end = wording("{} slice{}", grouped(n), n == 1 ? "" : "s");
  const float right = b.text(box.right(), y, end, {p.dim, 11, Weight::regular, Align::right}) + 8;
  const Box bar{box.x + left, box.y, box.w - left - right, 10};
  const float cell = bar.w / static_cast<float>(std::max(1, n));
  const auto mark = [&](int from, int to, Color color) {
    const float gap = cell >= 3 ? 1.0f : 0.0f;
    const float x0 = std::round(bar.x + static_cast<float>(from) * cell);
    const float x1 = std::round(bar.x + static_cast<float>(to) * cell) - gap;
    b.rect({x0, bar.y, std::max(1.5f, x1 - x0), bar.h}, color);
  };
  const Color done = fade(p.c, 0.45f);
  // Of a tile that CTAs share: the others' slices are drawn fainter, and nothing is said of them.
  const WorkItem item = t.item();
  const Color others = fade(p.frame_strong, 0.45f);
  if (cell >= 3) {
    for (int k = 0; k < n; ++k) {
      const bool mine = k >= item.k_begin && k < item.k_end;
      mark(k, k + 1, !mine ? others : k < t.moment.k_slice ? done : p.frame_strong);
    }
  } else {
    if (item.partial) mark(0, n, others);
    mark(item.k_begin, item.k_end, p.frame_strong);
    if (t.moment.k_slice > item.k_begin) mark(item.k_begin, t.moment.k_slice, done);
  }
  if (t.state.stages.empty()) mark(t.moment.k_slice, t.moment.k_slice + 1, p.mma);
  for (const StageState& s : t.state.stages) {
    if (s.k_slice < 0 || s.k_slice >= n || s.state == StageState::State::empty) continue;
    const bool read = s.state == StageState::State::done;
    mark(s.k_slice, s.k_slice + 1, read ? done : state_color(p, s.state));
  }
  CellGrid picks;
  picks.box = bar.grown(2);
  picks.columns = n, picks.rows = 1;
  picks.pick_mode = CellPick::k_slice;
  picks.pick.kind = Pick::Kind::k_slice, picks.pick.level = Level::cta, picks.pick.k_slice = 0;
  b.add(std::move(picks));
}

}  // namespace

/// A CTA's stages and what it takes beside them, up to `all` that it takes of shared memory.
static std::string shared_sum(const KernelPlan& plan, const std::string& all) {
  const int count = plan.stages(), more = plan.shared_bytes() - count * plan.stage_bytes();
  const std::string each = grouped(plan.stage_bytes());
  if (epilogue_bytes(plan) > 0) {
    return wording("{} × {} B, then sums of C, {}", count, each, all);
  }
  if (more == 0) return std::to_string(count) + " × " + each + " B = " + all;
  return store_buffers(plan).present()
             ? wording("{} × {} B + {} B for C, mbarriers = {}", count, each, grouped(more), all)
             : wording("{} × {} B + {} B of mbarriers = {}", count, each, grouped(more), all);
}

float stage_area_height(const TilingContext& t, bool boxes) {
  return !boxes ? 12.0f : t.plan.stages() == 0 ? 36.0f : 94.0f;
}

void draw_stages(SceneBuilder& b, const TilingContext& t, Box box, bool boxes) {
  const Palette& p = b.palette();
  const KernelPlan& plan = t.plan;
  if (!boxes) return ruler(b, t, {box.x, box.y, box.w, 10});
  if (plan.stages() == 0) {
    section_head(b, box.x, box.y + 5, box.w, "No shared memory", "every load goes to global memory",
                 p.dim, Weight::regular);
    ruler(b, t, {box.x, box.y + 22, box.w, 10});
    return;
  }
  const bool over = plan.shared_bytes() > t.state.shared_limit;
  const std::string all =
      wording("{} B of {} B", grouped(plan.shared_bytes()), grouped(t.state.shared_limit));
  std::string sum = shared_sum(plan, all);
  if (b.width(sum, 11) > 0.62f * box.w) sum = all;
  section_head(b, box.x, box.y + 5, box.w,
               plan.stages() == 1 ? "Shared memory" : "Shared memory: stages", sum,
               over ? p.warning : p.dim);
  const Box area{box.x, box.y + 18, box.w, box.h - 18};
  if (over) return too_large(b, t, area);

  std::vector<StageState> stages = t.state.stages;
  const bool known = !stages.empty();
  for (int i = 0; !known && i < plan.stages(); ++i) {
    stages.push_back({i, StageState::State::empty, -1, 1, 0});
  }
  std::stable_sort(stages.begin(), stages.end(), [](const StageState& a, const StageState& c) {
    return static_cast<unsigned>(a.k_slice) < static_cast<unsigned>(c.k_slice);  // none: last
  });
  const auto n = static_cast<float>(stages.size());
  const float height = std::min(area.h - 22, 150.0f);
  const float gap = stages.size() <= 4 && area.w > 420 ? 26.0f : 8.0f;
  const float limit = stages.size() == 1 ? 420 : 640;  // wider boxes would only be emptier
  const float width = std::min(limit, (area.w - gap * (n - 1)) / n);
  for (size_t i = 0; i < stages.size(); ++i) {
    const float x = std::round(area.x + static_cast<float>(i) * (width + gap));
    const Box at{x, area.y, std::round(width), height};
    stage_box(b, t, stages[i], at, known);
    if (i + 1 < stages.size() && gap > 20 && known) {
      const float y = std::round(at.y + height / 2);
      b.line({at.right() + 6, y}, {at.right() + gap - 8, y}, p.faint);
      b.triangle({at.right() + gap - 9, y + 0.5f}, 4, Way::right, p.faint);
    }
  }
  ruler(b, t, {box.x, area.y + height + 9, box.w, 10});
}

}  // namespace tilescope::viz
