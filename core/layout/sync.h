// Where a kernel's threads wait for each other and for their copies. The trace finds the k steps by
// it: what lies between two waits of a slice belongs to that slice.
#pragma once

namespace tilescope {

enum class SyncKind : int {
  none,
  cta_barrier,      // bar.sync of all threads
  cluster_barrier,  // barrier.cluster of all threads of a cluster
  copy_wait,        // cp.async.wait_group
  mbarrier,      // a phase of an mbarrier: copies that have landed, or a stage that is given back
  product_wait,  // wgmma.wait_group
  flag,          // a value in global memory that another CTA writes
};
/// `shared_tile`: after the slices of a work item whose tile is shared by several CTAs, beside
/// what `after_slices` says. `begin`, `end`: of a CTA, whatever it works on between.
enum class SyncWhen : int { before_slices, each_slice, after_slices, shared_tile, begin, end };

/// Every warp passes it, once for each other's: what lies before it is of another time. The
/// emulator counts both kinds as epochs of a warp.
constexpr bool divides(SyncKind kind) {
  switch (kind) {
    case SyncKind::cta_barrier:
    case SyncKind::cluster_barrier:
    case SyncKind::mbarrier:
      return true;
    case SyncKind::none:
    case SyncKind::copy_wait:
    case SyncKind::product_wait:
    case SyncKind::flag:
      return false;
  }
  return false;
}

/// `count` waits in a row, at the same place of each slice or work item.
struct Sync {
  SyncKind kind = SyncKind::none;
  SyncWhen when = SyncWhen::each_slice;
  int count = 1;

  constexpr bool operator==(const Sync&) const = default;
};

struct Syncs {
  static constexpr int kMax = 8;
  int size = 0;
  Sync sync[kMax];

  constexpr Syncs& add(const Sync& s) {
    sync[size++] = s;
    return *this;
  }
  /// Those that divide the time, at one place of each slice or work item.
  constexpr int dividing(SyncWhen when) const {
    int sum = 0;
    for (int i = 0; i < size; ++i) {
      if (divides(sync[i].kind) && sync[i].when == when) sum += sync[i].count;
    }
    return sum;
  }

  constexpr bool operator==(const Syncs&) const = default;
};

}  // namespace tilescope
