// What provenance keeps beside each value: where it came from, as one 32-bit tag for each 16 bits
// of it. A tag names an element of a buffer, a sum of products, or an expression; what a sum or an
// expression is made of stands in arrays (Graph) that the tag's number points into.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/machine/context.h"
#include "emulator/provenance/whole_register.h"

namespace tilescope::emulator {

/// The top bits say what a tag is:
///   0       (the whole tag) no part of it came from a buffer
///   0…      a granule: 2 bytes of a buffer; the granules of all buffers are numbered through.
///           01…: where they are fewer than 2^30, what was taken of an element alone, a part of it
///   10…     the number of a run, a sum of products; the tag of the value's upper half is then
///   111…    how many products of that run the value holds
///   110…    the number of an expression
using Tag = uint32_t;
inline constexpr Tag kSumTag = 0x80000000u, kExpressionTag = 0xc0000000u, kCountTag = 0xe0000000u;
/// In memory: written, but with nothing of a buffer.
inline constexpr Tag kPlainTag = 0xffffffffu;
inline constexpr uint32_t kMaxCount = 0x1ffffff0u;

inline bool is_leaf(Tag t) { return t != 0 && (t >> 31) == 0; }
inline bool is_sum(Tag t) { return (t >> 30) == 2; }
inline bool is_expression(Tag t) { return (t >> 29) == 6; }

/// The tags of both halves of a 32-bit value. Of a sum, `lo` names its run and `hi` says how many
/// products of the run the value holds.
struct Tags {
  Tag lo = 0, hi = 0;
};

/// The sum `before` + a0 · b0 + a1 · b1 + …, whose a and b lie at equal steps in their buffers, as
/// those of a GEMM's inner loop do: it is told by its first product, the steps and a count. When a
/// product is added to the value at the end of the run, the run becomes longer, nothing is copied;
/// a register that still holds an earlier, shorter sum names the same run with its own count.
struct Run {
  Tag next_a = 0, next_b = 0;  // the product that would make it longer; known from two products on
  int32_t a_step = 0, b_step = 0;
  uint32_t count = 0, inst = 0;
  Tag a = 0, b = 0;  // the first product
  Tags before;
  uint32_t a_route = 0, b_route = 0, before_route = 0;
};
/// What an instruction that is not a product-and-sum made of its operands.
struct Expression {
  static constexpr uint32_t kSame = 0xffffffffu;  // for inst: part 0 itself, in half the bits
  uint32_t inst = 0;
  Tags part[3];
  uint32_t route[3] = {};
};
/// The instructions that a value passed on its way unchanged (loads, moves, stores): the last one,
/// and the number of the route before it.
struct Route {
  uint32_t inst = 0, before = 0;
};

class Graph {
 public:
  /// `first_run`: as Provenance::Options has it.
  Graph(size_t max_nodes, bool first_run) : max_nodes_(max_nodes), first_run_(first_run) {}

  /// The fast half of extend(): if `sum` is the end of a run and the product is the one that makes
  /// it longer, which is nearly always so, makes it longer. Else false, and nothing has changed.
  bool grow(Tags& sum, Tag a, int32_t a_step, Tag b, int32_t b_step, uint32_t count,
            uint32_t inst) {
    if (!is_sum(sum.lo)) return false;
    const size_t r = sum.lo & kRunMask;
    if (!groups_.empty()) part(r);
    const uint32_t length = ends_.count[r];
    const bool same_steps = count == 1 || (ends_.a_step[r] == static_cast<uint32_t>(a_step) &&
                                           ends_.b_step[r] == static_cast<uint32_t>(b_step));
    if ((kCountTag | length) != sum.hi || length < 2 || ends_.next_a[r] != a ||
        ends_.next_b[r] != b || !same_steps || length + count >= kMaxCount) {
      return false;
    }
    ends_.next_a[r] += count * ends_.a_step[r];
    ends_.next_b[r] += count * ends_.b_step[r];
    ends_.count[r] = length + count;
    ends_.inst[r] = inst;
    sum.hi += count;
    return true;
  }
  /// The same for a warp whose lanes' runs were begun together, by one product each: lane i's sum
  /// (lo[i], hi[i]) grows by a[i] · b[i]. False, and nothing has changed, if one lane's does not.
  bool grow_warp(const Tag* __restrict lo, Tag* __restrict hi, const Tag* __restrict a,
                 const Tag* __restrict b, uint32_t inst);
  /// The runs of a warp's 32 lanes that grow by the same steps: making them longer is one step for
  /// all, not one for each.
  struct Group {
    uint32_t a_shape, b_shape;
    Tag next_a, next_b;  // lane 0's
    uint32_t a_step, b_step, count, inst;
    bool together;  // no run has grown by itself since
  };
  /// Makes a group of the 32 runs from `lo` on, which grow_warp() has just made longer by elements
  /// of these shapes. Returns its number, or Shapes::kNone if the runs do not grow evenly.
  uint32_t make_group(Tag lo, uint32_t a_shape, uint32_t b_shape);
  Group& group(uint32_t number) { return groups_[number]; }
  Shapes& shapes() { return shapes_; }
  const Shapes& shapes() const { return shapes_; }
  /// c + the progression of `count` products from a · b on.
  Tags extend(Tags c, uint32_t c_route, Tag a, int32_t a_step, Tag b, int32_t b_step,
              uint32_t count, uint32_t inst, uint32_t a_route, uint32_t b_route);
  /// sum + other, both of products: one sum. False if they are too many runs, or `other` starts
  /// from more than an element.
  bool join(Tags& sum, uint32_t route, Tags other, uint32_t inst);
  Tags expression(uint32_t inst, const Tags* parts, const uint32_t* routes, int count);
  /// The same value in one tag, for 16-bit registers.
  Tag narrow(Tags value);
  /// What a 16-bit register's tag stands for.
  Tags widen(Tag tag) const;
  uint32_t route(uint32_t inst, uint32_t before);

  Run run(Tag t) const;
  const Expression& expression(Tag t) const { return expressions_[t & 0x1fffffffu]; }
  const Route& route(uint32_t id) const { return routes_[id]; }

 private:
  static constexpr uint32_t kRunMask = 0x3fffffffu;
  size_t add(const Run& run);
  /// To be called before one run of a group grows by itself: the group is dissolved.
  void part(size_t run) {
    if (run < group_of_.size() && group_of_[run] != 0) part_group(run);
  }
  void part_group(size_t run);
  // Runs by their numbers. The fields that growing reads stand in an array each, since 32 lanes'
  // runs are made longer at once.
  struct Ends {
    std::vector<uint32_t> next_a, next_b, a_step, b_step, count, inst;
  };
  Ends ends_;
  struct Begin {
    Tag a, b;
    Tags before;
    uint32_t a_route, b_route, before_route;
  };
  std::vector<Begin> begins_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_, first_in_group_;  // by run: number + 1; by group
  Shapes shapes_;
  std::vector<Expression> expressions_;
  std::vector<Route> routes_{{}};
  std::unordered_map<uint64_t, uint32_t> route_ids_;
  struct Recent {
    uint64_t key = ~0ull;
    uint32_t route = 0;
  };
  std::array<Recent, 64> recent_{};  // of the loop that runs
  size_t max_nodes_;
  bool first_run_;
};

/// Numbers the granules of all buffers.
class Leaves {
 public:
  struct Buffer {
    uint64_t address = 0, bytes = 0;
    int index = 0;  // as Origin::buffer
    Tag first = 0;
    bool read_only = false;
  };
  void add(uint64_t address, uint64_t bytes, int index, bool read_only);
  /// 0 if the address is in none, or if there are too many.
  Tag at(uint64_t address) const {
    const uint64_t region = address >> 40;
    if (region != last_region_) find(region);
    const uint64_t offset = address & ((1ull << 40) - 1);
    return last_first_ && offset < last_bytes_ ? last_first_ + static_cast<Tag>(offset >> 1) : 0;
  }
  bool is_read_only(uint64_t address) const {
    at(address);
    return last_read_only_;
  }
  const Buffer* of(Tag leaf) const;
  /// A part of an element; 0 where parts are not followed.
  Tag part_of(Tag leaf) const { return is_leaf(leaf) && follows_parts() ? leaf | kPartTag : 0; }
  bool is_part(Tag t) const { return is_leaf(t) && follows_parts() && (t & kPartTag) != 0; }
  /// The element that a tag is of, itself or a part of it.
  Tag whole(Tag t) const { return is_part(t) ? t & ~kPartTag : t; }
  /// nullptr if the address is in none that has tags.
  const Buffer* at_address(uint64_t address) const;
  uint64_t address(Tag leaf) const;

 private:
  static constexpr Tag kPartTag = 1u << 30;
  bool follows_parts() const { return next_ <= kPartTag; }
  void find(uint64_t region) const;
  std::vector<Buffer> buffers_;
  uint64_t next_ = 1;
  mutable uint64_t last_region_ = ~0ull, last_bytes_ = 0;
  mutable Tag last_first_ = 0;
  mutable bool last_read_only_ = false;
};

}  // namespace tilescope::emulator
