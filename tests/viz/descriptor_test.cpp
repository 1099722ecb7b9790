// The shared memory tab of wgmma: each layout of each operand shows every chunk that the
// instruction reads once, where the layout says, at every size without a text on another.
#include <gtest/gtest.h>

#include <set>

#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"

namespace tilescope::viz {
namespace {

constexpr const char* kAtoms[] = {"m64n8k16.f32.f16.f16", "m64n256k16.f32.bf16.bf16",
                                  "m64n40k8.f32.tf32.tf32", "m64n48k32.s32.u8.u8",
                                  "m64n16k256.s32.b1.b1.and.popc"};

FragmentState state_of(const std::string& tail) {
  return example_instruction("wgmma.mma_async.sync.aligned." + tail, FragmentTab::shared_memory);
}

template <class F>
void each_layout(FragmentState& state, F f) {
  for (const Operand o : {Operand::a, Operand::b}) {
    for (const WgmmaLayout& layout : kWgmmaLayouts) {
      for (int step = 0; step < layout.steps(); ++step) {
        state.operand = o, state.descriptor = layout, state.descriptor_step = step;
        f();
      }
    }
  }
}

TEST(Descriptor, EveryLayoutIsCleanText) {
  for (const char* tail : kAtoms) {
    FragmentState state = state_of(tail);
    each_layout(state, [&] {
      for (const Size size : kFragmentSizes) {
        const Scene scene = build_fragment(state, light_palette(), kMeasure, size);
        expect_clean_texts(scene, tail);
        expect_finite(scene);
      }
      state.tab = FragmentTab::mma;
      expect_clean_texts(build_fragment(state, dark_palette(), kMeasure, {700, 600}), tail);
      state.tab = FragmentTab::shared_memory;
    });
  }
}

// As much memory as there is room for: here all of it.
TEST(Descriptor, EveryChunkIsThereOnce) {
  for (const char* tail : kAtoms) {
    FragmentState state = state_of(tail);
    const MmaAtom& atom = state.plan.atom;
    each_layout(state, [&] {
      const bool is_a = state.operand == Operand::a;
      const int outer = is_a ? atom.m : atom.n, bits = element_bits(atom.type_b);
      const Scene scene = build_fragment(state, dark_palette(), kMeasure, {1400, 4000});
      std::set<std::pair<int, int>> seen;
      int picks = 0;
      for (const Pick& p : scene.picks) {
        if (p.kind != Pick::Kind::element || p.matrix != static_cast<int>(state.operand)) continue;
        ++picks;
        seen.insert({p.row, p.col});
      }
      EXPECT_EQ(seen.size(), static_cast<size_t>(picks)) << tail;
      EXPECT_EQ(picks, outer * atom.k * bits / 128) << tail << ", step " << state.descriptor_step;
    });
  }
}

TEST(Descriptor, SaysItsFields) {
  FragmentState state = state_of("m64n32k16.f32.f16.f16");
  state.operand = Operand::b, state.descriptor = {Swizzle::b128, true}, state.descriptor_step = 2;
  const std::string text = to_text(build_fragment(state, dark_palette(), kMeasure, {1280, 800}));
  for (const char* words :
       {"0x4000004001000000 | start", "(address + 64) / 16", "B, K-major, 128B swizzle",
        "1,024 B: the next 8 lines", "1: 128B swizzle", "0: K-major"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
}

// The kernels' own tiles: what the ring holds, and A only where it is read there.
TEST(Descriptor, OfTheRungs) {
  int shown = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    FragmentState state;
    state.problem = default_problem(kernel.info);
    state.plan = kernel.plan(kernel.sliders.defaults(), state.problem);
    if (!state.plan.atom.b_in_shared) continue;
    ++shown;
    state.tab = FragmentTab::shared_memory;
    state.selection.cta = {1, 1};
    for (const Operand o : {Operand::a, Operand::b}) {
      state.operand = o;
      const std::string text =
          to_text(build_fragment(state, dark_palette(), kMeasure, {1280, 800}));
      // What is pointed at is named as in the matrix: other panels show it, too.
      for (const Pick& p : build_fragment(state, dark_palette(), kMeasure, {1280, 800}).picks) {
        if (p.kind != Pick::Kind::element) continue;
        const int outer = o == Operand::a ? p.row : p.col;
        EXPECT_GE(outer, o == Operand::a ? state.plan.block_m : state.plan.block_n);
      }
      const bool read = o == Operand::b || state.plan.atom.a_in_shared;
      EXPECT_EQ(text.find(" | start") != std::string::npos, read) << kernel.info.id;
      EXPECT_EQ(text.find("A in registers") != std::string::npos, !read) << kernel.info.id;
      for (const Size size : kFragmentSizes) {
        expect_clean_texts(build_fragment(state, light_palette(), kMeasure, size), kernel.info.id);
      }
    }
  }
  EXPECT_GE(shown, 5);
}

}  // namespace
}  // namespace tilescope::viz
