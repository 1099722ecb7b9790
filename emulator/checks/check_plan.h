// What the checks have to know of an entry before it runs.
#pragma once
#include <cstdint>
#include <vector>

#include "emulator/compile/row.h"

namespace tilescope::emulator {

struct Code;

struct CheckPlan {
  CheckPlan(const Code& code, const RowTable& rows);

  enum Flag : uint16_t {
    kSync = 1,     // atomic, volatile, acquire, release: orders threads, and is no plain access
    kBarrier = 2,  // of an mbarrier: orders, and its memory is no data
    kMove = 4,     // copies registers: a register never written may be copied
    // prmt, which puts bytes of two together: unset only where both are, as compilers put bytes
    // that nobody has written beside others, and then use the others alone
    kPacks = 4096,
    kParameter = 16,  // ld.param: of what a call gave back, perhaps one that the host ran
    kFinishes = 8,    // cp.async.mbarrier.arrive: the thread's copies belong to an mbarrier
    kInit = 32,       // mbarrier.init
    kWaits = 2048,    // mbarrier.test_wait, try_wait of a parity
    kProduct = 128,   // wgmma: reads until it has been waited for
    kAsync = 256,     // st.async, red.async: a store made beside the warps, as a bulk copy's is
    kMeets = 64,      // ldmatrix and its like: the lanes wait for each other before they access
  };
  std::vector<uint16_t> flags;  // by instruction

  enum Order : uint8_t {
    kReads = 1,
    kWrites = 2,
    kAcquires = 4,
    kReleases = 8,
    kUpdates = 16,   // atom and red: no other thread comes between its read and its write
    kCompares = 32,  // atom.cas
  };
  std::vector<uint8_t> order;  // by instruction, of those with kSync: for other CTAs
  bool copies_in_bulk = false, has_products = false;  // products: wgmma
  bool stores_by_threads = false;                     // to shared memory, cp.async too
  uint32_t granule = 4;  // bytes of shared memory that are always accessed together

  // Registers of which it is not certain that they are written before they are read.
  std::vector<uint32_t> doubtful;  // their index here, by register, or kNoRegister
  uint32_t doubtful_count = 0;
  // Those that wgmma adds to, and what is copied from them; and those that it multiplies.
  std::vector<uint32_t> flying;  // as doubtful
  uint32_t flying_count = 0;
  std::vector<bool> watched_instruction;  // reads or writes one of them
  std::vector<bool> watched_block;

 private:
  void find_doubtful(const Code& code);
  void find_flying(const Code& code);
  void watch(const Code& code);
};

}  // namespace tilescope::emulator
