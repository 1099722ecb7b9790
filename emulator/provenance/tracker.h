// Follows values through one CTA. It keeps a shadow (the tags of shadow.h) of its registers, of its
// shared and local memory and of what it stored in global memory.
#pragma once
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/machine/context.h"
#include "emulator/provenance/shadow.h"
#include "emulator/provenance/track_plan.h"
#include "emulator/provenance/whole_register.h"

namespace tilescope::emulator {

/// A register's shadow: tags of its halves by lane, and the route of each lane's value.
struct Plane {
  Tag* half[4] = {};
  uint32_t* route = nullptr;
  int halves = 0;
  Tags tags(int lane) const { return {half[0][lane], halves > 1 ? half[1][lane] : 0}; }
  void set(int lane, Tags t, uint32_t r) const {
    half[0][lane] = t.lo;
    if (halves > 1) half[1][lane] = t.hi;
    for (int h = 2; h < halves; ++h) half[h][lane] = 0;
    route[lane] = r;
  }
  /// Of two values in one register: halves of 16 bits, or two by two.
  Tags part(int p, int lane, Graph& graph) const {
    const int at = halves == 4 ? 2 * p : p;
    if (at >= halves) return {};
    return halves == 4 ? Tags{half[at][lane], half[at + 1][lane]} : graph.widen(half[at][lane]);
  }
  void set_part(int p, int lane, Tags t, Graph& graph) const {
    const int at = halves == 4 ? 2 * p : p;
    if (at >= halves) return;
    half[at][lane] = halves == 4 ? t.lo : graph.narrow(t);
    if (halves == 4) half[at + 1][lane] = t.hi;
  }
};

/// What is followed through global memory: of one CTA, or of all that may read what others write.
struct Followed {
  Followed(size_t max_nodes, bool first_run) : graph(max_nodes, first_run) {}
  static constexpr uint32_t kPageBytes = 4096;
  struct Page {
    std::array<Tag, kPageBytes / 2> tag{};
    std::array<uint32_t, kPageBytes / 2> route{};
    std::array<uint8_t, kPageBytes / 2> bytes{};  // of the element that begins here
    std::array<uint32_t, kPageBytes / 2> inst{};
  };
  Graph graph;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t last_page = ~0ull;
  Page* last_page_data = nullptr;
};

struct Factors;
class Tracker;

/// Those of a cluster's CTAs, which follow values into each other's shared memory.
struct ClusterTrackers {
  std::shared_ptr<Followed> followed;
  std::vector<Tracker*> by_rank;  // null of a CTA that is not followed, or has ended
};

class Tracker {
 public:
  /// The code, the plan must outlive the tracker.
  Tracker(const Code& code, const TrackPlan& plan, Leaves leaves, uint32_t warps,
          uint32_t shared_bytes, std::shared_ptr<Followed> followed);

  /// `cluster` must outlive it, or until leave_cluster().
  void enter_cluster(ClusterTrackers& cluster, uint32_t rank);
  void leave_cluster();
  void before(const Context& c, const Inst& in, uint32_t active);
  /// Of a block whose lanes are all active: how many products from an instruction on are followed
  /// here, without before() and after(). They have not been executed.
  uint32_t before_products(const Context& c, uint32_t inst);
  void after(const Context& c, const Inst& in, uint32_t active, uint64_t step);
  void access(const Context& c, Space space, bool is_store, const uint64_t* addresses, int bytes);
  void bulk(const Context& c, const Inst& in, const BulkPieces& pieces);
  void copy(const Context& c, const uint64_t* shared, const uint32_t* from_bytes, int bytes);
  /// Throws Stop just after this warp instruction.
  void stop_at(uint32_t warp, uint64_t step) { stop_warp_ = warp, stop_step_ = step; }
  struct Stop {};
  /// Keeps what each instruction moves, for moved().
  void keep_moved(bool fma) { keeps_moved_ = stores_moved_ = true, keeps_fma_ = fma; }
  /// Knows what the last instruction moved, for last_moved().
  void show_moved() { keeps_moved_ = keeps_fma_ = true; }
  struct MovedTags {
    uint64_t step = 0;
    std::array<Tag, 32> a{}, b{};
    std::array<int32_t, 32> a_step{}, b_step{};  // in tags
    std::array<uint32_t, 32> a_count{}, b_count{};
    struct More {
      Tag first = 0;
      int32_t step = 0;
      uint32_t count = 0;
    };
    std::vector<More> more_b;  // wgmma: columns from 32 on
  };
  const MovedTags* moved(uint32_t warp, uint64_t step) const;
  const MovedTags& last_moved() const { return has_moved_ ? now_ : kNothingMoved; }
  /// Says that instructions of this warp have run without being shown: what its registers and
  /// shared memory hold is unknown from here on.
  void lose_track(uint32_t warp) { lost_[warp] = lost_shared_ = true; }

  // What was found.
  const Graph& graph() const { return graph_; }
  const Leaves& leaves() const { return leaves_; }
  struct Place {  // of a value of up to 4 bytes
    Tags tags;
    uint32_t route = 0;
  };
  Place of_register(uint32_t warp, uint32_t reg, uint32_t lane) const;
  Place of_shared(uint64_t offset, uint32_t bytes) const;
  Place of_global(uint64_t address) const;  // of 4 bytes
  const Followed& followed() const { return *followed_; }

 private:
  struct Access {
    Space space;
    bool is_store;
    int bytes;
    uint32_t mask;
    std::array<uint64_t, 32> address;
  };

  /// Those of the instruction under way; its room is used again.
  class Accesses {
   public:
    Access& add() {
      if (used_ == all_.size()) all_.emplace_back();
      return all_[used_++];
    }
    void clear() { used_ = 0; }
    bool empty() const { return used_ == 0; }
    const Access& front() const { return all_.front(); }
    const Access& at(size_t i) const { return all_[i]; }
    size_t size() const { return used_; }
    const Access* begin() const { return all_.data(); }
    const Access* end() const { return all_.data() + used_; }

   private:
    std::vector<Access> all_;
    size_t used_ = 0;
  };

  // tracker_lanes.cpp: instructions that stay in a lane
  void move(const Context& c, uint32_t inst, uint32_t active);
  void compute(const Context& c, const Inst& in, uint32_t inst, uint32_t active);
  bool grow_warp(const Plane& d, const Plane& a, const Plane& b, const Plane& s, uint32_t inst);
  bool multiply_add(const Context& c, uint32_t inst, uint32_t active);
  Tags combine(const Context& c, uint32_t inst, const Step& s, int lane, const Plane* source,
               uint32_t& route);
  Tags product_of(uint32_t inst, Tags a, Tags b, Tags sum, const uint32_t* routes);
  Tags part_of(Tags a, Tags b) const;
  Tags sum_of(uint32_t inst, Tags a, Tags b, const uint32_t* routes);
  void choose(const Context& c, const Inst& in, uint32_t inst, uint32_t active);
  void shuffle(const Context& c, const Inst& in, uint32_t inst, uint32_t active);
  void pairs(uint32_t warp, uint32_t inst, uint32_t active);
  // tracker_whole.cpp
  Whole* whole(uint32_t warp, uint32_t inst, uint32_t operand);
  void write_out(Whole& w, Tag* at) const;
  bool add_products(uint32_t warp, const Step& step, uint32_t inst);
  bool grow_together(uint32_t warp, const Step& step, uint32_t inst);
  void make_group(uint32_t warp, const Step& step, Tag lo);
  bool load_evenly(const Access& a, uint32_t warp, uint32_t inst);
  bool load_leaves_evenly(const Access& a, uint32_t warp, uint32_t inst);
  bool move_whole(uint32_t warp, uint32_t inst);
  // tracker_memory.cpp
  bool load_leaves(const Access& a, uint64_t more, uint32_t size, const Plane& d, uint32_t inst);
  void load(const Context& c, uint32_t inst);
  void store(const Context& c, uint32_t inst);
  void atomic(const Context& c, uint32_t inst);
  void copy_in(const Context& c, uint32_t inst);
  void load_fragment(const Context& c, uint32_t inst);
  void repeat_fragment(uint32_t warp, uint32_t inst, uint32_t bytes);
  void store_fragment(const Context& c, uint32_t inst);
  Place read(const Context& c, Space space, uint64_t address, int lane) const;
  Place read_global(uint64_t address) const;
  void write(const Context& c, Space space, uint64_t address, int lane, Tag tag, uint32_t route,
             uint32_t inst, uint32_t bytes);
  Followed::Page* page(uint64_t address, bool make) const;
  /// Whose shared memory an address of this CTA's is; null: nobody follows it.
  Tracker* memory_of(uint64_t address) const;
  // tracker_matrix.cpp, tracker_product.cpp
  void load_matrix(const Context& c, uint32_t inst);
  void store_matrix(const Context& c, uint32_t inst);
  void move_matrix(const Context& c, uint32_t inst);
  static void transpose(const Plane& from, const Plane& to);  // they may be the same
  void matrix_product(const Context& c, uint32_t inst);
  // tracker_warpgroup.cpp
  void read_chunk(uint64_t address, bool wide, Tag* tags, uint32_t& route) const;
  void read_lines(const Access& a, uint32_t first_chunk, uint32_t inst, bool wide, bool across,
                  uint32_t units, uint32_t line, Factors& to) const;
  void warpgroup_product(const Context& c, const Inst& in, uint32_t inst);

  void note_memory(const Context& c);
  void forget_lost(uint32_t warp);
  Plane plane(uint32_t warp, uint32_t inst, uint32_t operand);
  void clear(uint32_t warp, uint32_t inst, uint32_t active);

  const Code& code_;
  const TrackPlan& plan_;
  Leaves leaves_;
  std::shared_ptr<Followed> followed_;
  Graph& graph_;
  std::vector<std::vector<Tag>> registers_;  // by warp
  std::vector<std::vector<Whole>> wholes_;   // by warp and tracked register
  std::vector<Tag> shared_, shared_route_;   // by granule
  ClusterTrackers* cluster_ = nullptr;
  uint32_t rank_ = 0;
  std::vector<std::vector<Tag>> local_;  // by warp: granules of a lane side by side
  Accesses accesses_;
  std::array<uint64_t, 32> copy_to_{};
  std::array<uint32_t, 32> copy_bytes_{};
  uint32_t copy_mask_ = 0, copy_size_ = 0;
  std::array<Tag, 32 * 5> nothing_{};  // shadow of what has none: constants
  std::array<Tag, 32 * 5> dump_{};
  std::vector<bool> lost_;  // by warp
  bool lost_shared_ = false;
  bool keeps_moved_ = false, keeps_fma_ = false, stores_moved_ = false, has_moved_ = false;
  static const MovedTags kNothingMoved;
  MovedTags now_;                              // of the instruction under way
  std::vector<std::vector<MovedTags>> moved_;  // by warp, ascending
  uint32_t stop_warp_ = ~0u;
  uint64_t stop_step_ = 0;
};

}  // namespace tilescope::emulator
