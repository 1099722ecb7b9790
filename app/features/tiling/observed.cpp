#include "app/features/tiling/observed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/state/present_launch.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/sheet/argument_spec.h"
#include "core/sheet/sheet_error.h"
#include "worker/messages/messages_stores.h"

namespace tilescope {
namespace {

/// C of a GEMM, else the first buffer of a known type that the kernel writes; −1: there is none.
int watched_argument(const worker::LaunchRequest& launch) {
  if (!launch.sheet) return -1;
  if (launch.sheet->gemm) return launch.sheet->gemm->c;
  const std::vector<std::string>& args = launch.sheet->args;
  for (size_t i = 0; i < args.size(); ++i) {
    try {
      const sheet::ArgumentSpec spec = sheet::parse_spec(args[i]);
      const auto* buffer = std::get_if<sheet::BufferSpec>(&spec);
      if (buffer && buffer->type && buffer->direction != sheet::Direction::in) {
        return static_cast<int>(i);
      }
    } catch (const sheet::SheetError&) {
    }
  }
  return -1;
}

int cta_index(const sheet::Extent& grid, const BlockIndex& at) {
  return at.x + static_cast<int>(grid.x) * (at.y + static_cast<int>(grid.y) * at.z);
}

/// `before`: of the same edit, whose grid stands where only the CTA was asked for.
std::shared_ptr<const viz::Observed> observed_of(const worker::LaunchRequest& launch, int argument,
                                                 const worker::StoresResult& stores,
                                                 BlockIndex chosen, const viz::Observed* before) {
  auto seen = std::make_shared<viz::Observed>();
  const sheet::Extent grid = launch.sheet->grid.value_or(sheet::Extent{});
  const auto i = static_cast<size_t>(argument);
  seen->name = launch.sheet->gemm                                    ? "C"
               : i < launch.names.size() && !launch.names[i].empty() ? launch.names[i]
                                                                     : wording("argument {}", i);
  seen->rows = static_cast<int>(stores.rows), seen->cols = static_cast<int>(stores.cols);
  seen->grid_x = static_cast<int>(grid.x), seen->grid_y = static_cast<int>(grid.y);
  seen->grid_z = static_cast<int>(grid.z);
  seen->of_ctas = stores.of_ctas;
  seen->cta = cta_index(grid, chosen);
  seen->box = {stores.box.row, stores.box.col, stores.box.rows, stores.box.cols, seen->cta};
  seen->threads = stores.threads;
  seen->truncated = stores.truncated;
  if (before) seen->parts = before->parts, seen->ctas = before->ctas;
  for (const worker::CtaStores& cta : stores.ctas) {
    const int index = cta_index(grid, cta.cta);
    const bool known = std::ranges::any_of(
        seen->parts, [&](const viz::Observed::Part& part) { return part.cta == index; });
    if (known) continue;
    ++seen->ctas;
    for (const worker::TouchedBox& b : cta.boxes) {
      seen->parts.push_back({b.row, b.col, b.rows, b.cols, index});
    }
  }
  return seen;
}

}  // namespace

void ObservedAsker::update(AppState& state, const Surroundings& others) {
  ObservedView& view = state.of<ObservedView>();
  const bool wanted = std::exchange(view.wanted, false);
  if (view.serial != state.edit_serial || view.of != state.own_launch) {
    calls_.drop();
    view = {.serial = state.edit_serial, .of = state.own_launch};
  }
  const bool due = view.cta.x < 0 || view.cta != chosen_block(state);
  if (!wanted || !state.own_launch || view.running || !due) return;
  const int argument = watched_argument(*state.own_launch);
  if (argument < 0) {
    view.error = "The launch has no buffer of a known type that the kernel writes.";
    view.cta = chosen_block(state);
    return;
  }
  // The run comes first: what its checks say is waited for.
  if (state.results.stage == Stage::done && others.all_rest(state, this)) ask(state, argument);
}

void ObservedAsker::ask(AppState& state, int argument) {
  ObservedView& view = state.of<ObservedView>();
  view.running = true;
  view.cta = chosen_block(state);
  worker::calls::Stores::Request request;
  request.launch = *state.own_launch;
  request.argument = argument;
  request.cta = chosen_block(state);
  if (view.seen) request.most_ctas = 0;  // the grid is known: of the chosen CTA alone
  calls_.ask<worker::calls::Stores>(
      request, {.done =
                    [request](AppState& s, const worker::StoresResult& stores) {
                      ObservedView& v = s.of<ObservedView>();
                      v.running = false;
                      v.error.clear();
                      v.seen = observed_of(request.launch, request.argument, stores, request.cta,
                                           v.seen.get());
                    },
                .failed =
                    [](AppState& s, const worker::CallError& error) {
                      ObservedView& v = s.of<ObservedView>();
                      v.running = false;
                      v.error = error.message;
                    }});
}

void ObservedAsker::without_worker(AppState& state, const std::string& why) {
  state.of<ObservedView>().error = why;
}

Busy ObservedAsker::busy(const AppState& state) const {
  return state.of<ObservedView>().running ? Busy::awaited : Busy::no;
}

void ObservedAsker::drop(AppState& state, Lost what) {
  if (what == Lost::device) return;  // it runs in the emulator
  calls_.drop();
  ObservedView& view = state.of<ObservedView>();
  view.running = false;
  if (what == Lost::again) view = {};
  if (what == Lost::worker) view.cta = {-1, -1, -1};
}

viz::ObservedState observed_picture(const AppState& state) {
  const ObservedView& view = state.of<ObservedView>();
  viz::ObservedState s;
  s.warp = state.selection.warp, s.lane = state.selection.lane;
  s.hover = state.hover_before.pick;
  if (view.serial == state.edit_serial && view.of == state.own_launch) s.seen = view.seen;
  if (s.seen) return s;
  s.empty_reason = !view.error.empty() && view.serial == state.edit_serial ? view.error
                   : state.own_launch
                       ? "The emulator is looking at who stores what."
                       : "It is drawn from what the emulator sees once the kernel has been run: "
                         "Launch sheet.";
  return s;
}

std::string observed_words(const viz::Observed& seen, const viz::Pick& pick) {
  std::string cta = wording("CTA {},{}", pick.cta_col, pick.cta_row);
  if (seen.grid_z > 1) cta += fmt::format(",{}", pick.cta_z);
  if (pick.kind == viz::Pick::Kind::cta) {
    return wording("{}, as observed\nClick: its warps and lanes", cta);
  }
  if (pick.row < 0 || pick.col < 0) return {};
  std::string text =
      fmt::format("{}[{}, {}]", seen.name, model::grouped(pick.row), model::grouped(pick.col));
  const int thread = seen.thread_at(pick.row, pick.col);
  if (thread < 0) return text + tr("\nwhich thread stores it was not observed");
  return text + wording("\nstored by lane {} of warp {} in {}, as observed", thread % 32,
                        thread / 32, cta);
}

}  // namespace tilescope
