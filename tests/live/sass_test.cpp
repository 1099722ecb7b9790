// Machine code in the window: asked for while somebody looks, of the present code alone.
#include <gtest/gtest.h>

#include <set>

#include "app/live/live.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present_launch.h"
#include "tests/live/fake_window.h"

namespace tilescope {
namespace {

worker::SassListing listing() {
  worker::SassListing s;
  s.arch = "sm_90", s.tool = "nvdisasm 13.2", s.registers = 254, s.spill_bytes = 16;
  s.instructions = 4;
  s.lines = {{"a:", 0, 0, false},
             {"0000  LDG", 62, 110, false},
             {"0010  STL", 62, 111, true},
             {"0020  FFMA", 63, 112, false},
             {"0030  FFMA", 62, 110, false}};
  return s;
}

struct SassWindow : FakeWindow {
  bool looks = true;

  void frame() override {
    FakeWindow::frame();
    if (looks) state.disassembly.wanted = true;
  }
  void run() { FakeWindow::run("disassemble"); }
};

TEST(SassInTheWindow, IsReadOnceWhileSomebodyLooks) {
  SassWindow w;
  w.looks = false;
  w.run();
  EXPECT_EQ(w.client->find("disassemble"), nullptr);
  w.looks = true;
  w.run();
  const FakeClient::Call* call = w.client->find("disassemble");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->device, "compiler");
  EXPECT_EQ(call->params.at("kernel"), w.state.edit.rung().kernel);
  w.client->answer(call->id, listing());
  w.run();
  ASSERT_TRUE(w.state.disassembly.listing);
  EXPECT_EQ(w.state.disassembly.listing->lines.size(), 5u);
  EXPECT_EQ(w.client->find("disassemble"), nullptr) << "once";
}

TEST(SassInTheWindow, BelongsToTheEdit) {
  SassWindow w;
  w.run();
  const uint64_t late = w.client->find("disassemble")->id;
  set_kernel(w.state, "naive");
  w.frame();
  EXPECT_EQ(w.client->find("disassemble"), nullptr) << "cancelled, and its code not there yet";
  w.client->answer(late, listing());
  w.run();
  EXPECT_FALSE(w.state.disassembly.listing);
  const FakeClient::Call* call = w.client->find("disassemble");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->params.at("kernel"), "naive");
}

// A file that was saved has other code, though no edit was made.
TEST(SassInTheWindow, OfAnOwnFileBelongsToItsLaunch) {
  SassWindow w;
  w.run();
  open_own_kernel(w.state, {"/kernels/own.cu", "{}"});
  const auto reads = [&] {
    w.state.results.edit_serial = w.state.edit_serial;
    w.state.results.compile.emplace();
    w.frame();
    return w.client->find("disassemble");
  };
  EXPECT_EQ(reads(), nullptr) << "nobody has said yet how it is launched";
  worker::LaunchRequest launch;
  launch.sheet.emplace().entry = "_Z3ownPf";
  confirm_launch(w.state, launch);
  const FakeClient::Call* call = reads();
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->params.at("own").at("file"), "/kernels/own.cu");
  EXPECT_EQ(call->params.at("entry"), "_Z3ownPf");
  w.client->answer(call->id, listing());
  w.frame();
  ASSERT_TRUE(w.state.disassembly.listing);
  EXPECT_EQ(w.state.results.compile->registers, 254);
  forget_launch(w.state);  // it was saved
  w.frame();
  EXPECT_FALSE(w.state.disassembly.listing);
  confirm_launch(w.state, launch);
  EXPECT_NE(reads(), nullptr);
}

TEST(SassInTheWindow, AFailureIsSaidAndNotRepeated) {
  SassWindow w;
  w.run();
  w.client->fail(w.client->find("disassemble")->id, {-32000, 3, "No nvdisasm.", {{"log", "x"}}});
  w.run();
  EXPECT_EQ(w.state.disassembly.error, "No nvdisasm.");
  EXPECT_EQ(w.state.disassembly.error_details, "x");
  EXPECT_EQ(w.client->find("disassemble"), nullptr);
  EXPECT_EQ(w.state.results.error, "") << "nothing else is wrong";
  w.live->run_again(w.state);
  w.run();
  EXPECT_NE(w.client->find("disassemble"), nullptr) << "after F5";
}

TEST(CodeLink, GoesBothWays) {
  AppState state = initial_state();
  state.disassembly.listing = std::make_shared<const worker::SassListing>(listing());
  using Lines = std::vector<int>;
  const CodeLink load = link_at(state, CodeText::sass, 2);
  EXPECT_EQ(load, (CodeLink{62, 110}));
  EXPECT_EQ(linked_lines(state, CodeText::kernel, load), Lines{62});
  EXPECT_EQ(linked_lines(state, CodeText::ptx, load), Lines{110});
  EXPECT_EQ(linked_lines(state, CodeText::sass, load), (Lines{2, 5}));
  const CodeLink source = link_at(state, CodeText::kernel, 62);
  EXPECT_EQ(linked_lines(state, CodeText::ptx, source), (Lines{110, 111}));
  EXPECT_EQ(linked_lines(state, CodeText::sass, source), (Lines{2, 3, 5}));
  EXPECT_EQ(link_at(state, CodeText::ptx, 112), (CodeLink{63, 112}));
  EXPECT_EQ(link_at(state, CodeText::ptx, 7), (CodeLink{0, 7})) << "of it nothing is left";
  EXPECT_FALSE(link_at(state, CodeText::sass, 1).any()) << "a label";
  EXPECT_FALSE(link_at(state, CodeText::sass, 99).any());
  EXPECT_TRUE(linked_lines(state, CodeText::sass, {}).empty());
}

TEST(CodeLink, OfSeveralLinesWhatIsOfEach) {
  AppState state = initial_state();
  state.disassembly.listing = std::make_shared<const worker::SassListing>(listing());
  for (const CodeText text : {CodeText::kernel, CodeText::ptx, CodeText::sass}) {
    std::set<int> of_each;
    for (const int line : {63, 62, 7}) {
      for (const int linked : linked_lines(state, text, {line, 0})) of_each.insert(linked);
    }
    EXPECT_EQ(lines_linked_with(state, text, {63, 62, 7}),
              std::vector<int>(of_each.begin(), of_each.end()));
    EXPECT_TRUE(lines_linked_with(state, text, {}).empty());
  }
}

TEST(CodeLink, TheFirstInstructionOfAPtxLineBearsItsCounts) {
  const worker::SassListing code = listing();
  const std::map<int, int> bearing = bearing_lines(code);
  EXPECT_EQ(bearing, (std::map<int, int>{{2, 2}, {3, 1}, {4, 1}})) << "not the label, nor line 5";
  EXPECT_EQ(counted_as(code, 2, bearing.at(2)),
            "PTX line 110, shown with the first of its 2 instructions here");
  EXPECT_EQ(counted_as(code, 4, bearing.at(4)), "PTX line 112");
  EXPECT_EQ(bearing_line(code, 5), 2);
  EXPECT_EQ(bearing_line(code, 2), 2);
  EXPECT_EQ(bearing_line(code, 1), 0) << "a label";
  EXPECT_EQ(bearing_line(code, 99), 0);
}

TEST(SassFigures, NameRegistersAndSpills) {
  EXPECT_EQ(sass_figures(listing()),
            "sm_90 · 254 registers · 16 B spilled in 1 instruction · 4 instructions · nvdisasm "
            "13.2");
  EXPECT_EQ(spill_lines(listing()), std::vector<int>{3});
  EXPECT_EQ(sass_text(listing()), "a:\n0000  LDG\n0010  STL\n0020  FFMA\n0030  FFMA\n");
}

}  // namespace
}  // namespace tilescope
