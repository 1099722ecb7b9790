#include "app/features/timeline/event_words.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

using worker::RawAccess;
using worker::TraceEvent;

TraceEvent event(TraceEvent::Kind kind) {
  TraceEvent e;
  e.kind = kind, e.warp = 2, e.k_step = 3, e.stage = 0, e.matrix = 0;
  return e;
}

TEST(EventWords, SayWhoDoesWhatWithWhichData) {
  RawAccess raw;
  raw.bytes = 16;
  TraceEvent e = event(TraceEvent::Kind::copy);
  EXPECT_EQ(event_words(&e, &raw), "warp 2 copies 16 B per lane of A, slice 3, to stage 0");
  e = event(TraceEvent::Kind::load);
  e.matrix = 1, e.shared = true;
  EXPECT_EQ(event_words(&e, &raw),
            "warp 2 reads 16 B per lane of B, slice 3, from stage 0 into registers");
  e.shared = false, e.stage = -1, e.lanes = 0xff;
  EXPECT_EQ(
      event_words(&e, &raw),
      "warp 2 reads 16 B per lane in 8 lanes of B, slice 3, from global memory into registers");
  e = event(TraceEvent::Kind::store);
  e.matrix = 2, e.k_step = e.stage = -1;
  raw.bytes = 8;
  EXPECT_EQ(event_words(&e, &raw), "warp 2 writes 8 B per lane of C, to global memory");
  e = event(TraceEvent::Kind::mma);
  e.k_step = 1234;
  raw.mma_m = 1, raw.mma_n = 3, raw.mma_k = 2;
  EXPECT_EQ(event_words(&e, &raw), "warp 2 multiplies mma tile 1,3, slice 1,234, k step 2");
  e = event(TraceEvent::Kind::fma);
  e.count = 2048;
  EXPECT_EQ(event_words(&e, nullptr), "warp 2 multiplies and adds, 2,048 times per lane, slice 3");
  e = event(TraceEvent::Kind::wait);
  e.groups_done = 4;
  EXPECT_EQ(event_words(&e, nullptr), "warp 2 waits until 4 of its groups of copies have arrived");
  e = event(TraceEvent::Kind::barrier);
  EXPECT_EQ(event_words(&e, nullptr), "warp 2 waits for the other warps of the CTA");
  EXPECT_EQ(event_words(nullptr, nullptr), "");
}

}  // namespace
}  // namespace tilescope
