// The state that an instruction's handler sees; each host thread has one. Plain data (see code.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/compile/row.h"
#include "emulator/emulator.h"
#include "emulator/machine/cluster_address.h"
#include "emulator/machine/sum_rules.h"

namespace tilescope::emulator {

struct Inst;

struct Region {  // of global memory
  std::byte* data = nullptr;
  uint64_t bytes = 0;
  bool read_only = false;
};

/// What an access pattern costs. That stays the same if all addresses move by a multiple of 32
/// bytes (sectors) or 4 bytes (wavefronts), so it is looked up by the differences between lanes and
/// by what is left of the first address (`phase`).
struct Pattern {
  uint64_t difference[32];  // to the first active lane; 0 for inactive ones
  uint32_t mask;            // 0 = empty entry
  uint32_t phase;           // what is left of the first lane's address
  uint32_t count;           // sectors or wavefronts
  uint32_t ideal;
  uint64_t first;  // the first active lane's address when the entry was filled: for explanations
};
inline constexpr uint32_t kPatterns = 8;

/// Which of two costs more for what it asks (wavefronts over their ideal; of sectors, which have
/// none, the most). Of equals the order is one, so that it does not matter who has met which first.
bool is_worse(const Pattern& a, const Pattern& b);

/// The addresses of a whole warp, as they were last seen: if they differ among each other as they
/// did then, one comparison replaces all checks and counts of the lanes (isa/shape.h).
struct Shape {
  alignas(64) int32_t difference[32];  // to lane 0's
  int32_t low, high;                   // the least and the greatest of them
  uint32_t bits;                       // their OR, for alignment
  uint32_t phase;                      // what is left of lane 0's address
  uint32_t count, ideal;               // sectors, or wavefronts
  uint8_t equal;                       // aligned groups of so many lanes share an address
  uint8_t period;                      // after so many lanes the addresses repeat
  bool known, linear;                  // linear: lane i has the bytes behind lane i - 1's
  uint32_t misses;
};
/// Warps have different shapes at the same instruction, most often even and odd ones (swizzles), so
/// several are remembered and a warp looks at the one of its number modulo kShapes first.
inline constexpr uint32_t kShapes = 4;

struct Site {                                     // one memory instruction of one host thread
  uint64_t requests = 0, sectors = 0, bytes = 0;  // global side
  uint64_t shared_requests = 0, wavefronts = 0, ideal = 0, shared_bytes = 0;
  Shape shapes[kShapes] = {};
  // The last is the worst of those that another has overwritten. cp.async has a second site for its
  // shared side's.
  Pattern patterns[kPatterns + 1] = {};
};

enum class Space : uint8_t { global, shared, local, constant, generic };

/// Of a bulk copy; `from` is all ones where what lies outside of a tensor is filled in.
struct BulkPieces {
  Space from_space, to_space;
  const uint64_t *from, *to;  // 32 addresses
  int bytes;
  bool reduces;
  int element;  // bytes of the tensor's elements; 0: nobody knows
  bool again;   // read for another target of a multicast before
};

/// Sees every global, shared and local access of a traced or checked run.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called when a lane's access is not legal. Returns true if the observer has noted it and the
  /// run shall go on: the lane's access then goes to a place where it does no harm, and is still
  /// among those of the instruction's `access`.
  virtual bool tolerate(Context&, const Inst&, Fault::Kind, uint32_t lane, uint64_t address,
                        const char* what) = 0;
  /// `addresses`: 32; global device addresses or shared and local byte offsets; valid for lanes in
  /// the mask.
  virtual void access(Context&, const Inst&, Space, bool is_store, const uint64_t* addresses,
                      int bytes) = 0;
  /// What a wgmma reads by itself of shared memory, 16 bytes a lane. `once`: of what the warps of a
  /// warpgroup read together, the first one's is what the hardware reads.
  virtual void product_read(Context& c, const Inst& in, const uint64_t* addresses, bool once) {
    (void)once;
    access(c, in, Space::shared, false, addresses, 16);
  }
  /// What a wmma.store puts where: 32 · n pieces of `bytes`, lane by lane, each at one address of
  /// its space and held in `values` one behind the other. After its accesses.
  virtual void pieces(Context&, const Inst&, Space, const uint64_t* addresses,
                      const std::byte* values, uint32_t count, int bytes) = 0;
  /// cp.async: copies now or, in a checked run, at the wait. Returns false if the caller must copy.
  virtual bool copy(Context&, const Inst&, const uint64_t* shared, std::byte* const* from,
                    const uint32_t* from_bytes, int bytes) = 0;
  /// Pieces that a bulk copy has moved, one for each lane in the mask.
  virtual void bulk(Context&, const Inst&, const BulkPieces&) = 0;
  /// The warp's bulk copies since the last commit are a group; it has waited until no more than so
  /// many of those are left.
  virtual void commit_bulk(Context&) {}
  virtual void wait_bulk(Context&, uint32_t) {}
  /// Bulk copies of this instruction have told the mbarrier at `barrier` of their end.
  virtual void complete(Context&, const Inst&, uint64_t barrier) = 0;
  /// A fence that orders for the cluster, or for more.
  virtual void fence(Context&) {}
  /// setmaxnreg: how many registers each thread of the warp has from here on.
  virtual void set_registers(Context&, const Inst&, uint32_t) {}
  /// A fence.proxy.async that shared memory is meant by.
  virtual void proxy_fence(Context&) {}
  virtual void commit(Context&) = 0;
  virtual void wait(Context&, uint32_t groups) = 0;
};

struct Context {
  // warp
  std::byte* registers = nullptr;
  uint32_t* predicates = nullptr;
  uint32_t mask = 0;                        // active lanes
  alignas(64) uint32_t lane_mask[32] = {};  // the same, one word per lane (0 or all ones)
  std::byte* local = nullptr;               // lane i's block at i * local_bytes
  uint32_t local_bytes = 0;
  uint32_t warp = 0;
  uint32_t* groups = nullptr;  // cp.async groups committed and not waited for, per lane
  // CTA
  std::byte* shared = nullptr;
  uint32_t shared_bytes = 0;
  Peer* const* peers = nullptr;  // the CTAs of its cluster, by rank
  uint32_t cluster_rank = 0, cluster_ctas = 1;
  Dim3 cta;
  // run
  const SumRules* sums = nullptr;  // null: IEEE
  const Inst* code = nullptr;
  const uint32_t* lists = nullptr;
  const Region* regions = nullptr;
  uint32_t region_count = 0;
  Site* sites = nullptr;
  uint64_t* guarded_off = nullptr;  // by instruction: lanes switched off by a guard
  Observer* observer = nullptr;
  uint64_t clock = 0;  // warp instructions of this host thread
  uint32_t threads = 0;
  std::string* output = nullptr;  // what the CTA has printed
};

/// Thrown where an instruction faults, and caught by the CTA's runner, so that handlers need no
/// error result.
struct FaultSignal {
  Fault::Kind kind;
  uint32_t lane = 0;
  uint64_t address = 0;
  const Inst* inst = nullptr;
  const char* what = "";  // "a 4-byte load from global memory"
  const char* hint = "";  // behind the sentence: "; what to do"
};

// Slow paths, compiled once (context.cpp).

[[noreturn]] void raise(const Inst&, Fault::Kind, uint32_t lane, uint64_t address, const char* what,
                        const char* hint = "");
/// Of what the emulator does not have: a sentence made there.
[[noreturn]] void raise(const Inst&, uint32_t lane, uint64_t value, const std::string& sentence);
void set_mask(Context&, uint32_t mask);
/// Exact check of each active lane, and the host pointers; raises a fault unless the observer
/// tolerates it.
void check_global(Context&, const Inst&, const uint64_t* addresses, int bytes, bool is_store,
                  std::byte** host);
/// cp.async with short source sizes: `reading` lanes read sizes[lane] bytes.
void check_copy(Context&, const Inst&, const uint64_t* addresses, const uint32_t* sizes,
                uint32_t reading, int bytes, std::byte** host);
/// Addresses that name the CTA itself by its rank become plain ones.
void check_shared(Context&, const Inst&, uint64_t* addresses, int bytes, bool is_store,
                  std::byte** host);
/// Of one lane's access, in its own CTA or in another one of its cluster: the host pointer; raises
/// a fault unless the observer tolerates it.
std::byte* check_shared_lane(Context&, const Inst&, uint32_t lane, uint64_t address, uint64_t bytes,
                             uint64_t align, bool is_store, const char* what);
void check_local(Context&, const Inst&, const uint64_t* addresses, int bytes, std::byte** host);
uint32_t count_sectors(const uint64_t* addresses, uint32_t mask, int bytes);
/// Wavefronts by groups of 128 bytes' worth of lanes; `ideal` = groups with an active lane.
/// `pairs`: of a load, whose groups are twice as large where all neighbours share addresses; what
/// writes and the rows of ldmatrix and stmatrix know no such thing.
uint32_t count_wavefronts(const uint64_t* addresses, uint32_t mask, int bytes, bool pairs,
                          uint32_t* ideal);

}  // namespace tilescope::emulator
