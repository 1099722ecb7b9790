// wmma.load and wmma.store. A lane reads or writes its elements by one access per run: elements
// that follow each other in the fragment and lie side by side in memory, as ptxas compiles them.
// Each access counts as one request. Loads of halves that follow each other across the lines take
// pairs along them all the same, and turn each 8 × 8 matrix in the registers: ptxas makes
// ldmatrix.trans of them where they read shared memory, and loads and movmatrix where global (sm_75
// to sm_90); an H200 counts the same wavefronts in every layout.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/transpose.h"
#include "emulator/isa/wmma_fragment.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

/// What a transfer has to know of a fragment, beside its state space.
struct Transfer {
  const Place (*places)[32];  // by element and lane; the row is across lines, the column along
  int registers, distinct, packed, bits;
  int run;          // elements
  bool turned;      // each register's matrix is transposed when it is there
  int stride_bits;  // of one unit of the stride operand
  int full_stride;  // if there is no such operand
  int run_bytes() const { return run * bits / 8; }
};

template <class F, bool RowMajor>
constexpr bool is_run(int length) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < F::elements; ++i) {
      const Place first = F::at(lane, i - i % length), p = F::at(lane, i);
      const int rows = p.row - first.row, cols = p.col - first.col;
      if (rows != (RowMajor ? 0 : i % length) || cols != (RowMajor ? i % length : 0)) return false;
    }
  }
  return true;
}
// At most one register of small elements, or 16 bytes.
template <class F, bool RowMajor>
constexpr int run_length() {
  int length = F::packed > 1 ? F::packed : 128 / F::Type::bits;
  while (length > 1 && (F::elements % length != 0 || !is_run<F, RowMajor>(length))) length /= 2;
  return length;
}

/// Halves whose other order would be read in pairs: every register is a matrix of 8 × 8.
template <class F, bool RowMajor, bool Store>
constexpr bool is_turned =
    !Store && F::packed == 2 && run_length<F, RowMajor>() == 1 && run_length<F, !RowMajor>() == 2;

template <class F, bool RowMajor, bool Turned>
struct Places {
  Place of[F::elements][32];
};
template <class F, bool RowMajor, bool Turned>
constexpr Places<F, RowMajor, Turned> make_places() {
  Places<F, RowMajor, Turned> places{};
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < F::elements; ++i) {
      const Place p = F::at(lane, i), corner = F::at(0, i - i % 2);
      const Place in_matrix = {p.row - corner.row, p.col - corner.col};
      const Place from = Turned ? moved(transposed(in_matrix), corner.row, corner.col) : p;
      places.of[i][lane] = RowMajor ? from : transposed(from);
    }
  }
  return places;
}
template <class F, bool RowMajor, bool Turned>
constexpr Places<F, RowMajor, Turned> places_of = make_places<F, RowMajor, Turned>();

template <class F, bool RowMajor, bool Store>
constexpr Transfer transfer_of() {
  constexpr bool is_bit = std::is_same_v<typename F::Type, B1x32>;
  constexpr bool turned = is_turned<F, RowMajor, Store>;
  return {places_of<F, RowMajor, turned>.of,
          F::registers,
          F::distinct,
          F::packed,
          F::Type::bits,
          turned ? 2 : run_length<F, RowMajor>(),
          turned,
          is_bit ? 1 : F::Type::bits,
          (RowMajor ? F::cols : F::rows) * (is_bit ? 32 : 1)};
}

// One run of one lane between its registers and memory.
inline void load_run(const Context& c, const Transfer& t, const u32* r, int i, int lane,
                     const std::byte* from) {
  if (t.bits >= 32) {
    const size_t bytes = static_cast<size_t>(t.bits / 8);
    for (int j = 0; j < t.run; ++j) {
      const size_t step = static_cast<size_t>(j) * bytes;
      __builtin_memcpy(c.registers + r[i + j] + static_cast<size_t>(lane) * bytes, from + step,
                       bytes);
    }
    return;
  }
  u32 word = 0;
  __builtin_memcpy(&word, from, static_cast<size_t>(t.run_bytes()));
  u32& slot = reinterpret_cast<u32*>(c.registers + r[i / t.packed])[lane];
  const int shift = i % t.packed * t.bits;
  slot = shift == 0 ? word : slot | word << shift;
}
inline void store_run(const Context& c, const Transfer& t, const u32* r, int i, int lane,
                      std::byte* to) {
  if (t.bits >= 32) {
    const size_t bytes = static_cast<size_t>(t.bits / 8);
    for (int j = 0; j < t.run; ++j) {
      const size_t step = static_cast<size_t>(j) * bytes;
      __builtin_memcpy(to + step, c.registers + r[i + j] + static_cast<size_t>(lane) * bytes,
                       bytes);
    }
    return;
  }
  const u32 word =
      reinterpret_cast<const u32*>(c.registers + r[i / t.packed])[lane] >> (i % t.packed * t.bits);
  __builtin_memcpy(to, &word, static_cast<size_t>(t.run_bytes()));
}

/// All that a store has put where, for who looks on: 8 accumulators of up to 8 bytes per lane.
struct Pieces {
  u64 address[8 * 32];
  std::byte value[8 * 8 * 32];
  int runs = 0;
};
template <Space S>
void show(Context& c, const Inst& in, Pieces& p, int bytes) {
  Space space = S;
  if constexpr (S == Space::generic) {
    space = (p.address[0] & kWindowMask) == kSharedWindow ? Space::shared : Space::global;
  }
  for (u64& a : p.address) {
    if (S == Space::generic && space == Space::shared) a &= ~kWindowMask;
  }
  c.observer->pieces(c, in, space, p.address, p.value, static_cast<u32>(32 * p.runs), bytes);
}

template <Space S>
__attribute__((noinline)) void transfer(Context& c, const Inst& in, const Transfer& t,
                                        bool is_store) {
  need_whole_warp(c, in, is_store ? "wmma.store" : "wmma.load");
  const u32* r = t.registers + 2 >= 4 ? c.lists + in.list : in.r;
  const u32 base = r[is_store ? 0 : t.registers], stride = r[t.registers + 1];
  if (is_store) ++r;
  const int bytes = t.run_bytes();
  Access start;
  read_addresses<true>(c, base, in.imm, bytes, start);
  const u64 unit = static_cast<u64>(t.bits);
  u64 strides[32];  // in bits
  for (int lane = 0; lane < 32; ++lane) {
    const u32 given = get<u32>(c.registers + stride, lane);
    strides[lane] = (given == 0xffffffffu ? static_cast<u64>(t.full_stride) : given) *
                    static_cast<u64>(t.stride_bits);
  }
  Pieces pieces;
  for (int i = 0; i < t.distinct * t.packed; i += t.run) {
    Access a;
    for (int lane = 0; lane < 32; ++lane) {
      const Place p = t.places[i][lane];
      a.address[lane] =
          start.address[lane] +
          (static_cast<u64>(p.row) * strides[lane] + static_cast<u64>(p.col) * unit) / 8;
    }
    survey(a);
    if (is_store && __builtin_expect(c.observer != nullptr, 0)) {
      __builtin_memcpy(pieces.address + 32 * pieces.runs, a.address, sizeof a.address);
      for (int lane = 0; lane < 32; ++lane) {
        store_run(c, t, r, i, lane, pieces.value + (32 * pieces.runs + lane) * bytes);
      }
      ++pieces.runs;
    }
    resolve_addresses<S, true>(c, in, a, bytes, is_store);
    for (int lane = 0; lane < 32; ++lane) {
      is_store ? store_run(c, t, r, i, lane, a.at(lane)) : load_run(c, t, r, i, lane, a.at(lane));
    }
  }
  if (pieces.runs) show<S>(c, in, pieces, bytes);
  for (int i = 0; t.turned && i < t.distinct; ++i) {
    transpose_matrix(c.registers + r[i], c.registers + r[i]);
  }
  for (int repeated = t.distinct; !is_store && repeated < t.registers; ++repeated) {
    __builtin_memcpy(c.registers + r[repeated], c.registers + r[repeated % t.distinct], 128);
  }
}

template <Space S, class F, bool RowMajor, bool Store>
void move_fragment(Context& c, const Inst& in) {
  static constexpr Transfer t = transfer_of<F, RowMajor, Store>();
  transfer<S>(c, in, t, Store);
}

/// "R8Ar?" or "Ar8r?": the fragment's registers, the address, the stride.
template <class F, bool Store>
struct TransferLetters {
  static constexpr char letter = F::Type::letter, count = '0' + F::registers;
  static constexpr char text[] = {Store ? 'A' : static_cast<char>(letter - 32),
                                  Store ? letter : count,
                                  Store ? count : 'A',
                                  'r',
                                  '?',
                                  '\0'};
};

template <Space S, class F, bool RowMajor, bool Store>
constexpr Row transfer_row(const char* pattern) {
  constexpr RowKind kind = S == Space::global ? Store ? RowKind::store_global : RowKind::load_global
                           : S == Space::shared
                               ? Store ? RowKind::store_shared : RowKind::load_shared
                           : Store ? RowKind::store_generic
                                   : RowKind::load_generic;
  constexpr Transfer t = transfer_of<F, RowMajor, Store>();
  Row row = warp_row(pattern, TransferLetters<F, Store>::text,
                     &move_fragment<S, F, RowMajor, Store>, kind, static_cast<u8>(t.run_bytes()));
  row.turned = t.turned;
  return row;
}

#define SPACES(what, layout, shape, types, Store, RowMajor, ...)                                 \
  transfer_row<Space::global, __VA_ARGS__, RowMajor, Store>("wmma " what " sync aligned " layout \
                                                            " " shape " global " types),         \
      transfer_row<Space::shared, __VA_ARGS__, RowMajor, Store>(                                 \
          "wmma " what " sync aligned " layout " " shape " shared|shared::cta " types),          \
      transfer_row<Space::generic, __VA_ARGS__, RowMajor, Store>(                                \
          "wmma " what " sync aligned " layout " " shape " " types)
#define LOAD(matrix, shape, types, ...)                                  \
  SPACES("load " matrix, "row", shape, types, false, true, __VA_ARGS__), \
      SPACES("load " matrix, "col", shape, types, false, false, __VA_ARGS__)
#define SUMS(shape, types, ...)                                        \
  LOAD("c", shape, types, __VA_ARGS__),                                \
      SPACES("store d", "row", shape, types, true, true, __VA_ARGS__), \
      SPACES("store d", "col", shape, types, true, false, __VA_ARGS__)
#define SHAPE(m, n, sums)                                                                      \
  LOAD("a", "m" #m "n" #n "k16", "f16", WmmaF16A<m>),                                          \
      LOAD("b", "m" #m "n" #n "k16", "f16", WmmaF16B<n>),                                      \
      LOAD("a", "m" #m "n" #n "k16", "bf16", WmmaBf16A<m>),                                    \
      LOAD("b", "m" #m "n" #n "k16", "bf16", WmmaBf16B<n>),                                    \
      LOAD("a", "m" #m "n" #n "k16", "s8|u8", WmmaByteA<S8, m>),                               \
      LOAD("b", "m" #m "n" #n "k16", "s8|u8", WmmaByteB<S8, n>),                               \
      SUMS("m" #m "n" #n "k16", "f16", WmmaC<F16, m, n>), SUMS(sums, "f32", WmmaC<F32, m, n>), \
      SUMS("m" #m "n" #n "k16", "s32", WmmaC<S32, m, n>)

const Row kRows[] = {
    SHAPE(16, 16, "m16n16k16|m16n16k8"),
    SHAPE(32, 8, "m32n8k16"),
    SHAPE(8, 32, "m8n32k16"),
    LOAD("a", "m16n16k8", "tf32", WmmaTf32A),
    LOAD("b", "m16n16k8", "tf32", WmmaTf32B),
    LOAD("a", "m8n8k4", "f64", MmaA<F64, 8, 4>),
    LOAD("b", "m8n8k4", "f64", MmaB<F64, 4>),
    SUMS("m8n8k4", "f64", MmaC<F64, 8>),
    SPACES("load a", "row", "m8n8k32", "s4|u4", false, true, MmaA<S4, 8, 32>),
    SPACES("load b", "col", "m8n8k32", "s4|u4", false, false, MmaB<S4, 32>),
    SPACES("load a", "row", "m8n8k128", "b1", false, true, MmaA<B1x32, 8, 4>),
    SPACES("load b", "col", "m8n8k128", "b1", false, false, MmaB<B1x32, 4>),
    SUMS("m8n8k32|m8n8k128", "s32", MmaC<S32, 8>),
};

}  // namespace

RowSpan wmma_memory_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
