// Elements that are taken apart before they are multiplied. Tensor cores look at the first bits of
// a float alone (TF32); what those leave of it, its rest, they multiply by itself: three products
// instead of one, whose sum lacks but the product of two rests.
#pragma once
#include "core/layout/problem.h"

namespace tilescope {

/// The last bits of a float, at which tensor cores do not look.
inline constexpr int kBitsCutOff = 13;
inline constexpr unsigned kCutOff = (1u << kBitsCutOff) - 1;

/// Who splits what has landed, an access of 16 bytes at a time. The threads are the last ones of
/// the CTA. A rest lies `rests` bytes behind its element.
struct Split {
  static constexpr int kBytes = 16;
  int threads = 0;  // none: elements are multiplied as they are
  int bytes = 0;    // of a stage that are split
  int rests = 0;

  constexpr bool present() const { return threads > 0; }
  constexpr int warps() const { return threads / 32; }
  /// Products of each two tiles: A's rests by B, A by B's rests, A by B. What is small is added up
  /// first.
  constexpr int products() const { return present() ? 3 : 1; }
  constexpr bool takes_rests(int product, Operand o) const {
    return present() && product == (o == Operand::a ? 0 : 1);
  }
  constexpr int accesses() const { return present() ? ceil_div(bytes / kBytes, threads) : 0; }
  /// Byte of the stage of a thread's access; it may lie behind the last one.
  constexpr int offset(int thread, int access) const {
    return (access * threads + thread) * kBytes;
  }
  constexpr bool operator==(const Split&) const = default;
};

}  // namespace tilescope
