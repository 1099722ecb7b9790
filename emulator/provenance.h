// Where values came from. For each half of a register, each byte of shared memory and each stored
// element of the CTAs that are followed, it tells which element of which buffer that is and through
// which PTX lines it came, or which products it is the sum of. All of it is found by running the
// PTX; nothing here knows of tiles or matrices.
//
//   Provenance p({.ctas = {{3, 1, 0}}, .until = Provenance::Moment{{3, 1, 0}, warp, step}});
//   options.provenance = &p;  run(…, options);
//   p.of_register({3, 1, 0}, warp, lane, "%f12");     // just after that warp instruction
//
// No history is kept: what a value was at an earlier moment is found by running the CTA again up to
// that moment, which takes milliseconds.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/emulator.h"

namespace tilescope::emulator {

/// A place in a buffer. Buffers of a Memory go by their index, the module's variables by numbers
/// from kModuleBuffers on.
struct Origin {
  static constexpr int kModuleBuffers = 1 << 20;
  int buffer = -1;  // -1 = none
  uint64_t offset = 0;
  /// What was taken of the element that lies there, as the rest of a float that lacks its first
  /// bits.
  bool part = false;
  explicit operator bool() const { return buffer >= 0; }
  bool operator==(const Origin&) const = default;
};

/// `count` products a · b, each of whose factors lies `step` bytes behind the one before. Without
/// b: a sum of elements a.
struct Products {
  Origin a, b;
  int64_t a_step = 0, b_step = 0;
  uint64_t count = 0;
  std::vector<int> a_way, b_way;  // of the first: PTX lines from its load on
};

/// Where a value came from: a tree. Plain data.
struct Value {
  enum class Kind : uint8_t {
    none,        // nothing of a buffer: constants, indices, zero-fill
    element,     // `origin` itself, perhaps converted
    sum,         // `parts` (what it started from) plus all of `products`
    expression,  // `opcode` of `parts`
    unknown      // not followed: more than the limits hold
  } kind = Kind::none;
  uint32_t bytes = 0;  // of an element as it was loaded; 0 = not known
  Origin origin;
  std::vector<Products>
      products;  // ascending by a, then b; each pair once for each time it is added
  // Whether the products' a (b) lie behind each other in the order in which they were added.
  bool a_ascends = true, b_ascends = true;
  std::string opcode;
  int ptx_line = 0;      // of a sum or expression: the instruction that made it (last)
  std::vector<int> way;  // PTX lines that it passed, the load first
  std::vector<Value> parts;
  uint64_t terms() const;  // products summed
};
/// One line: "A[+948, step 2] · B[+1334, step 2048], 1024 products (…)".
std::string to_text(const Value& value, const Memory& memory);

/// Elements of a buffer that were stored, folded: element i (of `count`, `step` bytes apart) is
/// like `value`, but each origin in it (in order of appearance) moves by i · moves bytes.
struct Stored {
  Origin first;
  uint32_t bytes = 0;  // of an element
  uint64_t count = 1;
  int64_t step = 0;
  Value value;
  std::vector<int64_t> moves;
  int ptx_line = 0;  // of the store
};

/// The first product that a sum was made of.
struct Product {
  Origin a, b;
  explicit operator bool() const { return a && b; }
};

/// What a warp instruction moved or multiplied: where the data came from, as far as it is an
/// element of a buffer. Loads, stores and copies: `a` by lane, what lay (or now lies) at the lane's
/// address; of ldmatrix so for each row. fma: the factors by lane. mma: `a` by row of A, `b` by
/// column of B, each the first along k; `count` elements (16-bit units of packed ones) follow from
/// there on, `step` bytes apart.
struct Moved {
  std::array<Origin, 32> a, b;
  std::array<int64_t, 32> a_step{}, b_step{};
  std::array<uint32_t, 32> a_count{}, b_count{};
  struct Column {
    Origin first;
    int64_t step = 0;
    uint32_t count = 0;
  };
  std::vector<Column> more_b;  // of wgmma: those from 32 on
};

class Tracker;

class Provenance {
 public:
  struct Impl;
  /// What a run shows while it goes on, of the traced CTA.
  class Live {
   public:
    Live(const Impl& impl, const Tracker& tracker) : impl_(impl), tracker_(tracker) {}
    /// The element that lies there unchanged; none if it is a sum, an expression or nothing.
    Origin of_shared(uint64_t offset) const;
    /// Of the sum of products that lies there in 32 bits, or of what was computed from it; none if
    /// it is no sum.
    Product product_in_shared(uint64_t offset) const;
    Product product_in_global(uint64_t address) const;
    /// `half`: 0 the low 16 bits (or all of it, if it is one element), 1 the high ones.
    Origin of_register(uint32_t warp, uint32_t lane, std::string_view name, int half = 0) const;
    /// What the instruction moved or multiplied, fma too.
    Moved moved() const;
    /// Moved's a and b as numbers by lane: the same one is the same element. Numbers of sums and of
    /// nothing are not elements', and differ from all of those. Good until the next instruction.
    const std::array<uint32_t, 32>& a_numbers() const;
    const std::array<uint32_t, 32>& b_numbers() const;

   private:
    const Impl& impl_;
    const Tracker& tracker_;
  };

  /// Just after warp instruction `step` (Event::step) of a warp.
  struct Moment {
    Dim3 cta{0, 0, 0};
    uint32_t warp = 0;
    uint64_t step = 0;
  };
  struct Options {
    std::vector<Dim3> ctas;       // empty = all that run, up to max_ctas
    std::optional<Moment> until;  // its CTA ends there, without a fault
    size_t max_ctas = 64;
    bool moved = false;      // keep what moved() tells, …
    bool moved_fma = false;  // … of each fma, too: 264 bytes each
    /// Called just after each event that the trace keeps, trace.events.back().
    std::function<void(const Trace&, const Live&)> each;
    bool only_traced = false;  // what lies outside the trace's ranges is not followed: unknown
    // Of a sum no more than its first run of products is known, and how that went on: whose it is,
    // not all that it is made of. A sum whose terms do not go on evenly takes no memory then.
    bool first_run = false;
    size_t max_nodes = 1u << 24;  // sums and expressions per CTA; what comes after is unknown
  };
  Provenance() : Provenance(Options()) {}
  explicit Provenance(Options options);
  ~Provenance();
  Provenance(Provenance&&) noexcept;
  Provenance& operator=(Provenance&&) noexcept;

  std::vector<Dim3> ctas() const;  // followed, in order
  /// What was last written to a register; `half`: of a 32-bit one its 16-bit parts alone.
  /// `function` tells apart the copies of registers of inlined functions (0 = the entry's own).
  Value of_register(Dim3 cta, uint32_t warp, uint32_t lane, std::string_view name, int half = -1,
                    uint32_t function = 0) const;
  /// `bytes`: 2 for an element of 16 bits, 4 or 8.
  Value of_shared(Dim3 cta, uint64_t offset, uint32_t bytes) const;
  /// What a followed CTA stored there. Of CTAs that may read what others write, so of all that ran.
  Value of_global(uint64_t address, uint32_t bytes) const;
  /// All that the followed CTAs stored in global memory, as it was at the end.
  std::vector<Stored> stored() const;
  /// Of the instruction of a trace's event (Event::step); nothing if it moves no data.
  std::optional<Moved> moved(Dim3 cta, uint32_t warp, uint64_t step) const;
  /// The moment after a warp has run a PTX line for the `times`-th time (1 = the first), by running
  /// the CTA: of loads, stores, copies, barriers, fma and mma. Nothing if it does not so often.
  /// Memory is left as it was.
  static std::optional<Moment> find_moment(const Program& program, std::string_view entry,
                                           const Launch& launch, Memory& memory, Dim3 cta,
                                           uint32_t warp, int ptx_line, uint64_t times);
  /// Names of the entry's registers that may hold data.
  std::vector<std::string> registers() const;

  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilescope::emulator
