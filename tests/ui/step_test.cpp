// Stepping in the window: forward and back, until something is written, to breakpoints; of a rung
// and of a kernel of one's own.
#include <imgui_internal.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "app/features/step/step_words.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "app/state/playback.h"
#include "app/state/present_launch.h"
#include "app/state/stepped.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

StepView& step_view() { return state().of<StepView>(); }

/// All that was asked for has been answered.
bool stepped_out(ImGuiTestContext* ctx) {
  const bool done = eventually(ctx, [] {
    return step_answer(state()) && !step_view().running && step_view().wishes.empty();
  });
  ctx->Yield(2);
  return done && step_answer(state());
}

const emulator::StepPlace& place() { return step_answer(state())->state.place; }

/// The layout Step with a small problem of a rung, at the run's first instruction.
bool begin_stepping(ImGuiTestContext* ctx, const char* kernel, int extent) {
  end_stepping(state());
  step_view().breakpoints.clear();
  run_command(ctx, "view.layout.step");
  run_command(ctx, "view.reset_layout");
  ctx->Yield(4);
  set_kernel(state(), kernel);
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = default_problem(state().derived.kernel->info);
  p.m = p.n = p.k = extent;
  set_problem(state(), p);
  select_cta(state(), {0, 0});
  ctx->Yield(2);
  if (!stepped_out(ctx)) return false;
  // What was stepped before is there still, if it is the same edit's.
  step_cta(state(), {0, 0, 0}, false);
  step_view().alone = true;
  show_step_warp(state(), 0);  // whose first instruction is the run's
  if (!stepped_out(ctx)) return false;
  step_until(state(), "back:end", false);
  return stepped_out(ctx) && place().tick == 0 && !place().ended;
}

std::vector<uint32_t> words_of_warp() { return step_answer(state())->state.registers.at(0).words; }

UI_TEST("step", "forward_and_back_shows_line_registers_and_playhead") {
  IM_CHECK(begin_stepping(ctx, "vectorized", 256));
  IM_CHECK(eventually(ctx, [] { return state().results.trace != nullptr; }));
  IM_CHECK(stepped(state()) != nullptr);
  screenshot(ctx, "step_begin");
  std::vector<uint64_t> ticks;
  for (int i = 0; i < 4; ++i) {
    ticks.push_back(place().tick);
    ctx->ItemClick("//Source/###on_0");
    IM_CHECK(stepped_out(ctx));
    IM_CHECK_GT(place().tick, ticks.back());
  }
  // A round of the loop later there are sums in the registers.
  ctx->KeyPress(ImGuiKey_F12);
  IM_CHECK(stepped_out(ctx));
  ctx->KeyPress(ImGuiKey_F12);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_GE(place().iteration, 0);
  const Stepped* at = stepped(state());
  IM_CHECK(at && at->tick == place().tick && stepped_line(state(), *at) > 0);
  const uint64_t there = place().tick;
  const std::vector<uint32_t> words = words_of_warp();
  ctx->KeyPress(ImGuiKey_F10);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_GT(place().tick, there);
  step_until(state(), "event:fma", false);
  IM_CHECK(stepped_out(ctx));
  run_command(ctx, "step.instruction");
  IM_CHECK(stepped_out(ctx));
  bool changed = false;
  for (const auto& r : step_answer(state())->state.registers.at(0).registers) {
    changed = changed || r.changed != 0;
  }
  IM_CHECK(changed);
  screenshot(ctx, "step_registers");
  // Where a value came from, once the pointer rests on it.
  const ImGuiWindow* values = nullptr;
  for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
    if (w->Active && std::strstr(w->Name, "##registers")) values = w;
  }
  IM_CHECK_SILENT(values != nullptr);
  ctx->MouseMoveToPos(values->InnerRect.GetCenter());
  IM_CHECK(eventually(ctx, [] {
    const Origins& o = state().origins;
    return o.asked && o.asked->what == "register" && (o.answer || !o.error.empty());
  }));
  IM_CHECK_STR_EQ(state().origins.error.c_str(), "");
  IM_CHECK(!state().origins.answer->of.empty());
  ctx->Yield(2);
  screenshot(ctx, "step_origin");
  ctx->MouseMoveToPos(ImGui::GetMainViewport()->GetCenter());
  // The playhead is where the run is.
  const Moment moment = moment_of(state());
  IM_CHECK(moment.raw && moment.raw->step <= place().step);
  IM_CHECK_EQ(state().selection.warp, static_cast<int>(place().warp));
  // Back over all of it, and the registers are what they were.
  run_command(ctx, "step.undo");
  IM_CHECK(stepped_out(ctx));
  run_command(ctx, "step.undo");
  IM_CHECK(stepped_out(ctx));
  run_command(ctx, "step.undo");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().tick, there);
  IM_CHECK(words_of_warp() == words);
  step_until(state(), "back:end", false);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().tick, static_cast<uint64_t>(0));
  run_command(ctx, "step.instruction_back");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK(!step_view().note.empty());
  // From the playhead on.
  run_command(ctx, "play.next_k");
  const Moment wanted = moment_of(state());
  IM_CHECK_SILENT(wanted.raw != nullptr);
  const uint64_t step = wanted.raw->step;
  run_command(ctx, "step.from_here");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().step, step);
}

UI_TEST("step", "an_element_of_c_and_breakpoints_stop_the_run") {
  IM_CHECK(begin_stepping(ctx, "vectorized", 256));
  ctx->ItemInputValue("//Source/##until", "written:C[17,33]");
  ctx->ItemClick("//Source/Run##until_on");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK(place().opcode.starts_with("st.global"));
  const int line = place().source.line;
  const uint64_t written = place().tick;
  step_until(state(), "back:end", false);
  IM_CHECK(stepped_out(ctx));
  // At the clicked line.
  link_code(state(), CodeText::kernel, line);
  run_command(ctx, "step.breakpoint");
  IM_CHECK_EQ(step_view().breakpoints.size(), static_cast<size_t>(1));
  step_view().alone = false;
  run_command(ctx, "step.run");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().source.line, line);
  IM_CHECK_LE(place().tick, written);
  show_panel(ctx, *find_panel("breakpoints"));
  screenshot(ctx, "step_breakpoints");
  ctx->ItemClick("//Breakpoints/$$0/##on");
  IM_CHECK(!step_view().breakpoints[0].on);
  run_command(ctx, "step.run");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK(place().ended);
  run_command(ctx, "step.run_back");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().tick, static_cast<uint64_t>(0));
  step_view().alone = true;
  // No motion at all: one sentence, and the run stays.
  step_until(state(), "written:C[9999,0]", false);
  IM_CHECK(eventually(ctx, [] { return !step_view().note.empty() && !step_view().running; }));
  IM_CHECK_EQ(place().tick, static_cast<uint64_t>(0));
}

UI_TEST("step", "another_edit_begins_anew_and_an_illegal_tile_says_why_not") {
  IM_CHECK(begin_stepping(ctx, "mma_multistage", 256));
  run_command(ctx, "step.k");
  IM_CHECK(stepped_out(ctx));
  show_panel(ctx, *find_panel("shared_memory"));
  step_until(state(), "event:load_shared", false);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK(!step_answer(state())->state.shared.empty());
  IM_CHECK(eventually(ctx, [] { return shared_access(step_answer(state())->state).has_value(); }));
  screenshot(ctx, "step_shared");
  // Who wrote what is read next: the way back is to that instruction.
  const auto read = shared_access(step_answer(state())->state);
  const int byte = static_cast<int>(read->address[0]);
  const auto writers = writers_of_bytes(step_answer(state())->state, byte, 4);
  IM_CHECK_SILENT(!writers.empty());
  const uint64_t before_it = place().tick;
  step_to_writer(state(), writers[0].byte, writers[0].by);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK(place().opcode.starts_with("cp.async"));
  IM_CHECK_EQ(place().step, writers[0].by.step);
  IM_CHECK_EQ(place().warp, writers[0].by.warp);
  run_command(ctx, "step.undo");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().tick, before_it);
  // Other forms of the same bits, as wide as their values.
  step_view().wide = true, step_view().region = 1;
  step_view().number_form = static_cast<int>(NumberForm::f16);
  step_view().live_only = false;
  IM_CHECK(stepped_out(ctx));
  IM_CHECK(eventually(ctx, [] { return step_view().known.live_only == false; }));
  ctx->Yield(2);
  screenshot(ctx, "step_values");
  step_view().wide = false, step_view().region = 0, step_view().number_form = 0;
  step_view().live_only = true;
  // The first warp has come to a barrier: it waits there for the others.
  step_view().alone = false;
  for (int i = 0; i < 3; ++i) step_by(state(), StepUnit::barrier, false);
  IM_CHECK(stepped_out(ctx));
  const emulator::StepState& at = step_answer(state())->state;
  bool waits = false;
  for (int w = 0; w < static_cast<int>(at.warps.size()); ++w) {
    for (const WarpWords& words : warp_words(at, w)) {
      waits = waits || words.doing.starts_with("at barrier 0, for warp");
    }
  }
  IM_CHECK(waits);
  screenshot(ctx, "step_barrier");
  step_view().alone = true;
  set_tile_field(state(), TileFieldId::stages, 2);
  IM_CHECK(step_answer(state()) == nullptr);
  IM_CHECK(stepped(state()) == nullptr);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().tick, static_cast<uint64_t>(0));
  set_tile_field(state(), TileFieldId::stages, 99);
  ctx->Yield(3);
  IM_CHECK(step_answer(state()) == nullptr);
  IM_CHECK(!why_no_step(state()).empty());
  screenshot(ctx, "step_illegal");
  reset_layout(ctx);
  run_command(ctx, "edit.undo");
  end_stepping(state());
  ctx->Yield(3);
  IM_CHECK(stepped(state()) == nullptr);  // nobody looks, nobody steps
}

constexpr const char* kOwnSgemm = R"(__device__ float scaled(float x) {
  return x * x + 1.0f;
}
__global__ void own(const float* a, float* b, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = a[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += scaled(tile[(threadIdx.x + k) % 64]);
  b[i] = sum;
}
int main() { own<<<2, 64>>>(0, 0, 16); }
)";

UI_TEST("step", "a_kernel_of_ones_own_is_stepped") {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_own_step";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "own.cu").string();
  std::ofstream(file) << kOwnSgemm;
  run_command(ctx, "view.layout.step");
  run_command(ctx, "view.reset_layout");
  open_own_kernel(state(), {file, ""});
  ctx->Yield(3);
  IM_CHECK(!why_no_step(state()).empty());
  screenshot(ctx, "step_own_nothing");
  constexpr const char* kSheet = R"({"entry": "own", "grid": [2,1,1], "block": [64,1,1],
      "args": ["buf:f32:1x128:index:in", "buf:f32:1x128:zeros:out", "i32:16"]})";
  take_kept_sheet(state(), kSheet);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK(place().source.file == "own.cu");
  toggle_breakpoint(state(), CodeText::kernel, 2);  // inlined
  run_command(ctx, "step.run");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().source.line, 2);
  step_until(state(), "written:b+0:256", false);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().source.line, 11);
  screenshot(ctx, "step_own");
  // The tile of shared memory holds 0, 1, 2, …
  const auto& shared = step_answer(state())->state.shared;
  IM_CHECK_GE(shared.size(), static_cast<size_t>(256));
  float tenth = 0;
  std::memcpy(&tenth, shared.data() + 40, 4);
  IM_CHECK_EQ(tenth, 10.0f);
  step_cta(state(), {1, 0, 0}, false);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().cta.x, 1u);
  // Its PTX as a file of its own: Source's lines are the PTX's.
  const std::string ptx_file = (folder / "own.ptx").string();
  std::ofstream(ptx_file) << state().own_launch->ptx;
  open_own_kernel(state(), {ptx_file, ""});
  ctx->Yield(3);
  take_kept_sheet(state(), kSheet);
  IM_CHECK(stepped_out(ctx));
  run_command(ctx, "step.instruction");
  IM_CHECK(stepped_out(ctx));
  const int ptx_line = place().ptx_line;
  IM_CHECK_EQ(stepped_line(state(), *stepped(state())), ptx_line);
  toggle_breakpoint(state(), CodeText::kernel, ptx_line + 1);
  run_command(ctx, "step.run");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_GT(place().ptx_line, ptx_line);
  IM_CHECK_EQ(place().ptx_line, step_view().breakpoints.back().line);
  screenshot(ctx, "step_own_ptx");
  link_code(state(), CodeText::kernel, ptx_line);
  step_to_line(state(), true);
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_EQ(place().ptx_line, ptx_line);
  leave_own_kernel(state());
  end_stepping(state());
  step_view().breakpoints.clear();
  reset_layout(ctx);
}

UI_TEST("step", "any_motions_in_any_order_leave_the_window_alive") {
  IM_CHECK(begin_stepping(ctx, "mma_sync", 64));
  const char* const again = std::getenv("TILESCOPE_SEED");  // one that was printed
  const unsigned seed = again ? static_cast<unsigned>(std::stoul(again)) : std::random_device()();
  ctx->LogInfo("seed %u", seed);
  std::printf("step: seed %u\n", seed);
  std::mt19937 random(seed);
  std::vector<std::string> ids;
  for (const Command& c : shell().commands.all()) {
    if (c.id.starts_with("step.")) ids.push_back(c.id);
  }
  IM_CHECK_GT(ids.size(), static_cast<size_t>(15));
  static constexpr const char* kTexts[] = {
      "step:7",  "any:50",     "k:1",         "back:barrier",     "written:s+0:64",  "read:C[0,0]",
      "at:3.99", "register:x", "cta_end",     "line:99999|ptx:1", "touched:A+0:4*2", "end",
      "ptx:0",   "back:end",   "event:mma*3", "at:31.1",          "nonsense",        "written:Z+0"};
  static constexpr const char* kPanelIds[] = {"registers", "shared_memory", "warps", "breakpoints",
                                              "output"};
  for (int i = 0; i < 70 && !ctx->Abort; ++i) {
    StepView& view = step_view();
    switch (random() % 8) {
      case 0:
        step_until(state(), kTexts[random() % std::size(kTexts)], random() % 2);
        break;
      case 1:
        view.alone = !view.alone;
        show_step_warp(state(), static_cast<int>(random() % 6) - 1);
        break;
      case 2:
        step_cta(state(), {static_cast<int>(random() % 9) - 2, static_cast<int>(random() % 3), 0},
                 random() % 3 == 0);
        break;
      case 3:
        toggle_breakpoint(state(), random() % 2 ? CodeText::kernel : CodeText::ptx,
                          static_cast<int>(random() % 300));
        break;
      case 4:
        view.number_form = static_cast<int>(random() % std::size(kNumberForms));
        view.memory_form = static_cast<int>(random() % std::size(kNumberForms));
        view.live_only = random() % 2, view.wide = random() % 2, view.region = random() % 9;
        show_panel(ctx, *find_panel(kPanelIds[random() % std::size(kPanelIds)]));
        break;
      default:
        shell().commands.request(ids[random() % ids.size()]);
        break;
    }
    for (unsigned frames = random() % 4; frames > 0; --frames) ctx->SleepNoSkip(0.05f, 0.05f);
  }
  IM_CHECK(begin_stepping(ctx, "mma_sync", 64));
  run_command(ctx, "step.instruction");
  IM_CHECK(stepped_out(ctx));
  IM_CHECK_GT(place().tick, static_cast<uint64_t>(0));
  end_stepping(state());
  step_view().breakpoints.clear();
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
}

}  // namespace
}  // namespace tilescope::ui_test
