// Makes a row out of a lambda on one lane's values: its parameter and result types say which
// registers the instruction takes, and both handlers (full mask, masked) are generated from it.
#pragma once
#include <utility>

#include "emulator/isa/lane_types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

template <class T>
constexpr char operand_letter(bool written) {
  char c = 'r';
  if constexpr (std::is_same_v<T, bool>) {
    c = 'p';
  } else if constexpr (std::is_same_v<T, f32>) {
    c = 'f';
  } else if constexpr (std::is_same_v<T, f64>) {
    c = 'd';
  } else if constexpr (sizeof(T) == 8) {
    c = 'l';
  } else if constexpr (sizeof(T) == 2) {
    c = 'h';
  } else if constexpr (sizeof(T) == 1) {
    c = 'z';
  }
  return written ? static_cast<char>(c - 32) : c;
}

template <class D, class... S>
struct OperandLetters {
  static constexpr char text[] = {operand_letter<D>(true), operand_letter<S>(false)..., '\0'};
};

/// A source operand, found before the loop over lanes: reading it through the context there would
/// keep the compiler from vectorising.
template <class T>
struct Source {
  const std::byte* slot;
  Source(const std::byte* registers, const u32*, u32 r) : slot(registers + r) {}
  T operator[](int lane) const { return get<T>(slot, lane); }
};
template <>
struct Source<bool> {
  u32 bits;
  Source(const std::byte*, const u32* predicates, u32 r) : bits(predicates[r]) {}
  bool operator[](int lane) const { return (bits >> lane) & 1u; }
};

template <auto F, class Signature>
struct Lanes;

template <auto F, class D, class... S>
struct Lanes<F, D (*)(S...)> {
  using Letters = OperandLetters<D, S...>;

  template <bool Full, size_t... I>
  static void run(Context& c, std::byte* registers, const Inst& in, std::index_sequence<I...>) {
    static_assert(sizeof...(S) <= 3, "more sources need the operand list");
    each<Full>(c, registers, in.r[0], Source<S>(registers, c.predicates, in.r[1 + I])...);
  }
  template <bool Full>
  static void each(Context& c, std::byte* registers, u32 result, const Source<S>... s) {
    if constexpr (std::is_same_v<D, bool>) {
      alignas(32) u32 words[32];
#pragma GCC ivdep
      for (int i = 0; i < 32; ++i) words[i] = F(s[i]...) ? 0xffffffffu : 0u;
      u32 bits = pack_bits(words);
      if constexpr (!Full) bits = (c.predicates[result] & ~c.mask) | (bits & c.mask);
      c.predicates[result] = bits;
    } else {
      std::byte* d = registers + result;
      [[maybe_unused]] const u32* active = c.lane_mask;
#pragma GCC ivdep
      for (int i = 0; i < 32; ++i) {
        if constexpr (Full) {
          put<D>(d, i, F(s[i]...));
        } else {
          const D old = get<D>(d, i);
          const D value = F(s[i]...);
          put<D>(d, i, active[i] ? value : old);
        }
      }
    }
  }
  static void full(Context& c, const Inst& in) {
    run<true>(c, c.registers, in, std::index_sequence_for<S...>());
  }
  /// See RunHandler. Saves the dispatch, which costs about as much as an instruction does.
  static const Inst* full_run(Context& c, const Inst* in, const Inst* end) {
    const u16 row = in->row;
    std::byte* const registers = c.registers;  // stores to lanes might change it, for all g++ knows
    do {
      run<true>(c, registers, *in, std::index_sequence_for<S...>());
    } while (++in != end && in->row == row && in->guard == 0);
    return in;
  }
  static void masked(Context& c, const Inst& in) {
    run<false>(c, c.registers, in, std::index_sequence_for<S...>());
  }
};

/// Row for a lambda D(S...): operand 0 is the result.
template <auto F>
constexpr Row lanes(const char* pattern, RowKind kind = RowKind::plain) {
  using L = Lanes<F, decltype(+F)>;
  return Row{pattern,
             L::Letters::text,
             &L::full,
             &L::masked,
             kind,
             0,
             kind == RowKind::fma ? &L::full_run : nullptr};
}

/// The same with operand letters of one's own (relaxed widths, for instance).
template <auto F>
constexpr Row lanes_as(const char* pattern, const char* operands, RowKind kind = RowKind::plain) {
  using L = Lanes<F, decltype(+F)>;
  return Row{pattern, operands, &L::full, &L::masked, kind, 0};
}

/// Row for an operation on whole predicate masks: u32(u32) or u32(u32, u32).
template <auto F>
struct Masks {
  template <bool Full>
  static void run(Context& c, const Inst& in) {
    u32 bits;
    if constexpr (requires { F(0u, 0u); }) {
      bits = F(c.predicates[in.r[1]], c.predicates[in.r[2]]);
    } else {
      bits = F(c.predicates[in.r[1]]);
    }
    u32& d = c.predicates[in.r[0]];
    d = Full ? bits : (d & ~c.mask) | (bits & c.mask);
  }
};
template <auto F>
constexpr Row masks(const char* pattern, const char* operands) {
  return Row{
      pattern,        operands, &Masks<F>::template run<true>, &Masks<F>::template run<false>,
      RowKind::plain, 0};
}

/// For instructions that the whole warp has to execute.
inline void need_whole_warp(const Context& c, const Inst& in, const char* what) {
  if (c.mask == 0xffffffffu) return;
  raise(in, Fault::Kind::partial_warp, static_cast<u32>(__builtin_ctz(~c.mask)), 0, what);
}

/// One function for both masks, which asks the context for its active lanes.
constexpr Row warp_row(const char* pattern, const char* operands, Handler handler,
                       RowKind kind = RowKind::plain, u8 bytes = 0) {
  return Row{pattern, operands, handler, handler, kind, bytes};
}

template <size_t N>
constexpr RowSpan span_of(const Row (&rows)[N]) {
  return {rows, N};
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
