// The table of instructions. Each form of an instruction is one row: how it is written, what
// operands it takes, what it does. A new instruction is a new row in one of
// emulator/isa/rows_*.cpp; nothing else knows of it.
#pragma once
#include <cstdint>

#include "emulator/compile/sum_family.h"

namespace tilescope::emulator {

struct Context;
struct Inst;
using Handler = void (*)(Context&, const Inst&);
/// Runs the instruction `in` and those of the same row directly behind it, up to `end`; returns the
/// first that it has not run.
using RunHandler = const Inst* (*)(Context&, const Inst* in, const Inst* end);

/// What the rest of the emulator has to know of an instruction: how it ends a block, how it is
/// counted, which event it is in a trace.
enum class RowKind : uint8_t {
  plain,
  fma,
  mma,
  copy,
  bulk_load,   // to shared memory; of both kinds the bytes of all active lanes are counted
  bulk_store,  // from shared memory
  wait,
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_generic,
  store_generic,
  atomic,
  parameter_load,  // becomes a move from a constant register, if the address is constant
  branch,
  leave,
  jump_table,
  call,
  give_back,  // ret of a function that was not inlined
  trap,
  yield,              // others get a turn
  poll,               // runs as any other, then others get a turn
  warpgroup_product,  // wgmma: reads shared memory by itself
  warpgroup_commit,
  warpgroup_wait,
  warp_sync,  // runs when all lanes are there that its last operand names
  barrier_sync,
  barrier_arrive,
  barrier_and,
  barrier_or,
  barrier_popc,
  cluster_arrive,
  cluster_wait
};

struct Row {
  /// The parts of the mnemonic, separated by blanks here and by points in PTX, in the ISA's order
  /// (which PTX need not keep: mnemonic.h). `a|b`: one of them; `a?`: may be missing; `$cache`: any
  /// number of cache and eviction hints; `$order`: any number of memory orders and scopes.
  const char* pattern;
  /// One letter per operand, capital = written, `&` before it = read and written:
  ///   P p predicate; H h 16, R r 32, L l 64 bits; F f D d the same for reals; a letter then a
  ///   digit = braces with so many; A address; Q 32-bit register with a predicate behind `|`; i
  ///   integer; T label; N a list of labels; C the clock; =n that immediate; X x Y y 32 or 64 bits
  ///   of any type; W w 128 bits, two slots; _ anything, not looked at; Z z a 16- or 32-bit
  ///   register (both have the same lanes); U u a register of 16 bits or wider, V v of 32 bits or
  ///   wider: its slot says how wide (code.h), and of a wider one the low bits are read, and what
  ///   is written is extended as the type says; ? after a letter: may be missing (a missing
  ///   register reads as all ones bits). B a predicate, and another behind `|`; M and a digit: a
  ///   tensor's map and so many coordinates, [map, {x, y}]; K k the carry flag, which is not
  ///   written down.
  const char* operands;
  Handler full, masked;  // all 32 lanes active; some. Null for those that end a block
  RowKind kind = RowKind::plain;
  uint8_t bytes = 0;         // per lane, of a memory access
  RunHandler run = nullptr;  // for rows that come in runs: all lanes active, no guards
  bool turned = false;       // wmma.load: what its accesses bring is transposed in each register
  SumFamily sums = SumFamily::exact;  // of a matrix product
};

/// Some rows of one build of isa/.
struct RowSpan {
  const Row* rows;
  uint32_t count;
};
/// All of them.
struct RowTable {
  const Row* const* rows;  // `count` pointers
  uint32_t count;
  /// Runs [begin, end) for the context's active mask.
  void (*execute)(Context&, const Inst* begin, const Inst* end);
};
const RowTable& active_rows();  // chosen once, by CPU

}  // namespace tilescope::emulator
