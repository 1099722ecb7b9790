// mma.sync of 16-bit reals and tf32, by hand where product.h is general: the kernels that matter
// spend their time here. They come in runs in which each A meets several B's, so what has been
// widened is kept for the run.
#include "emulator/isa/card_block.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/warp_product.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

/// The last few operands, widened, by their registers' slots.
template <class Wide, int Count>
class Kept {
 public:
  Kept() { forget(); }
  void forget() {
    __builtin_memset(held_, 0, sizeof held_);
    for (auto& slots : slots_) slots[0] = ~0u;
  }
  /// `other`: is kept, whatever has to go.
  const Wide& get(const std::byte* file, const u32* r, const Wide* other = nullptr) {
    for (int n = 0; n < Count; ++n) {
      if (__builtin_memcmp(slots_[last_], r, sizeof slots_[last_]) == 0) return wide_[last_];
      last_ = (last_ + 1) % Count;
    }
    last_ = next_;
    if (&wide_[last_] == other) last_ = (last_ + 1) % Count;
    next_ = (last_ + 1) % Count;
    __builtin_memcpy(slots_[last_], r, sizeof slots_[last_]);
    for (u32 slot : slots_[last_]) word(slot) |= bit(slot);
    wide_[last_].fill(file, r);
    return wide_[last_];
  }
  /// Registers have been written, of which some might be held.
  void written(const u32* r, int count) {
    u64 any = 0;
    for (int i = 0; i < count; ++i) any |= word(r[i]) & bit(r[i]);
    if (__builtin_expect(any != 0, 0)) forget();
  }

 private:
  u64& word(u32 slot) { return held_[(slot >> 13) % 16]; }
  static u64 bit(u32 slot) { return 1ull << ((slot >> 7) % 64); }

  u32 slots_[Count][Wide::registers];
  int last_ = 0, next_ = 0;
  u64 held_[16];  // a set of slots / 128, modulo 1024
  Wide wide_[Count];
};

/// The operands of one instruction: r[0…] of D, then A, B, C.
template <class T, int K, class Sums>
struct Operands {
  static constexpr int first_a = Sums::registers, first_b = first_a + WideA<T, K>::registers,
                       first_c = first_b + WideB<T, K>::registers, end = first_c + Sums::registers;
};

#if defined(__AVX512F__)
// The second product has the first one's A, and needs nothing that the first one writes.
template <class T, int K, class Sums>
inline bool go_together(const u32* r0, const u32* r1) {
  using O = Operands<T, K, Sums>;
  if (__builtin_memcmp(r0 + O::first_a, r1 + O::first_a, 4 * WideA<T, K>::registers) != 0)
    return false;
  constexpr __mmask16 sources = (1u << (O::end - O::first_a)) - 1;
  const __m512i read = _mm512_maskz_loadu_epi32(sources, r1 + O::first_a);
  __mmask16 hit = 0;
  for (int i = 0; i < Sums::registers; ++i) {
    hit |= _mm512_mask_cmpeq_epi32_mask(sources, read, _mm512_set1_epi32(static_cast<int>(r0[i])));
  }
  return hit == 0;
}
#endif

template <class T>
constexpr SumFamily family_of = std::is_same_v<T, Tf32> ? SumFamily::mma_tf32 : SumFamily::mma_16;

/// Operands with what sums of an architecture need beside them.
template <class T, int K>
struct CardA : WideA<T, K> {
  ExponentsA<T, WideA<T, K>::deep> exponents;
  void fill(const std::byte* file, const u32* r) {
    WideA<T, K>::fill(file, r);
    exponents.find(this->of);
  }
};
template <class T, int K>
struct CardB : WideB<T, K> {
  ExponentsB<T, WideB<T, K>::deep> exponents;
  void fill(const std::byte* file, const u32* r) {
    WideB<T, K>::fill(file, r);
    exponents.find(this->of);
  }
};

/// How one product, or two at once, are computed from operands A and B.
template <class T, int K, class Sums>
struct IeeeProducts {
  using A = WideA<T, K>;
  using B = WideB<T, K>;
  explicit IeeeProducts(const SumRule*) {}
  void one(std::byte* file, const u32* d, const u32* c, const A& a, const B& b) const {
    multiply_block<Sums, A::deep>(file, d, c, a.of, b.of);
  }
#if defined(__AVX512F__)
  void two(std::byte* file, const u32* d0, const u32* d1, const u32* c0, const u32* c1, const A& a,
           const B& b0, const B& b1) const {
    multiply_two<Sums, A::deep>(file, d0, d1, c0, c1, a.of, b0.of, b1.of);
  }
#endif
};
template <class T, int K, class Sums>
struct CardProducts {
  using A = CardA<T, K>;
  using B = CardB<T, K>;
  const SumRule& rule;
  explicit CardProducts(const SumRule* r) : rule(*r) {}
  void one(std::byte* file, const u32* d, const u32* c, const A& a, const B& b) const {
    card_block<T, T, Sums, A::deep>(rule, file, d, c, a.of, a.exponents, b.of, b.exponents);
  }
#if defined(__AVX512F__)
  void two(std::byte* file, const u32* d0, const u32* d1, const u32* c0, const u32* c1, const A& a,
           const B& b0, const B& b1) const {
    card_two_blocks<T, T, Sums, A::deep>(rule, file, d0, d1, c0, c1, a.of, a.exponents, b0.of,
                                         b0.exponents, b1.of, b1.exponents);
  }
#endif
};

template <class T, int K, class Sums, class Products>
const Inst* products_run(Context& c, const Inst* in, const Inst* end, const Products& products) {
  using O = Operands<T, K, Sums>;
  Kept<typename Products::A, 4> some_a;
  Kept<typename Products::B, 8> some_b;
  std::byte* const file = c.registers;
  const u16 row = in->row;
  const auto goes_on = [&](const Inst* i) { return i != end && i->row == row && i->guard == 0; };
  const auto wrote = [&](const u32* r) {
    some_a.written(r, Sums::registers);
    some_b.written(r, Sums::registers);
  };
  do {
    const u32* r = c.lists + in->list;
    const auto& a = some_a.get(file, r + O::first_a);
    const auto& b = some_b.get(file, r + O::first_b);
#if defined(__AVX512F__)
    const u32* next = goes_on(in + 1) ? c.lists + in[1].list : nullptr;
    if (next && go_together<T, K, Sums>(r, next)) {
      products.two(file, r, next, r + O::first_c, next + O::first_c, a, b,
                   some_b.get(file, next + O::first_b, &b));
      wrote(r);
      wrote(next);
      ++in;
      continue;
    }
#endif
    products.one(file, r, r + O::first_c, a, b);
    wrote(r);
  } while (goes_on(++in));
  return in;
}

template <class T, int K, class Sums>
const Inst* mma_run(Context& c, const Inst* in, const Inst* end) {
  if (const SumRule* rule = rule_of(c, family_of<T>)) {
    return products_run<T, K, Sums>(c, in, end, CardProducts<T, K, Sums>(rule));
  }
  return products_run<T, K, Sums>(c, in, end, IeeeProducts<T, K, Sums>(nullptr));
}
template <class T, int K, class Sums>
void mma(Context& c, const Inst& in) {
  need_whole_warp(c, in, "a matrix product");
  mma_run<T, K, Sums>(c, &in, &in + 1);
}

#define MMA(shape, types, operands, T, K, Sums)                                                \
  Row {                                                                                        \
    "mma sync aligned " shape " row col " types, operands, &mma<T, K, Sums>, &mma<T, K, Sums>, \
        RowKind::mma, 0, &mma_run<T, K, Sums>, false, family_of<T>                             \
  }

const Row kRows[] = {
    MMA("m16n8k16", "f32 f16 f16 f32", "F4r4r2f4", F16, 16, FloatSums),
    MMA("m16n8k16", "f16 f16 f16 f16", "R2r4r2r2", F16, 16, HalfSums),
    MMA("m16n8k16", "f32 bf16 bf16 f32", "F4r4r2f4", Bf16, 16, FloatSums),
    MMA("m16n8k8", "f32 f16 f16 f32", "F4r2r1f4", F16, 8, FloatSums),
    MMA("m16n8k8", "f16 f16 f16 f16", "R2r2r1r2", F16, 8, HalfSums),
    MMA("m16n8k8", "f32 bf16 bf16 f32", "F4r2r1f4", Bf16, 8, FloatSums),
    MMA("m16n8k8", "f32 tf32 tf32 f32", "F4r4r2f4", Tf32, 8, FloatSums),
    MMA("m16n8k4", "f32 tf32 tf32 f32", "F4r2r1f4", Tf32, 4, FloatSums),
};

}  // namespace

RowSpan mma_real_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
